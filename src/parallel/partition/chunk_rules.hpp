// The sizes of claims, according to the rules of the self-scheduling literature. Pure.
// Sources: guided: Polychronopoulos and Kuck (1987); factoring: Hummel, Schonberg and Flynn (1992); weighted
// factoring: Hummel et al. (1996), with weights measured as in Banicescu's adaptive weighted factoring (2003).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/index_range.hpp"
#include "study/run_options.hpp"

namespace sheaf {

/// Resolves `auto`; returns other kinds unchanged. The lanes of a node train streamed data in rounds: they wait
/// for each other and read the file once for all their models. If one node trains models of a single combination,
/// shrinking claims would only add rounds, so the result is `block`. If some lanes train on GPUs and others on cores
/// (`are_unequal`), equal claims would take very different times, so it is `self`: a core claims one iteration, a GPU
/// as many as it trains together. Otherwise shrinking claims balance models of different cost, so it is `factoring`.
PartitionKind settled_kind(AutoOr<PartitionKind> kind, bool is_streamed, bool is_one_node, std::int64_t combinations,
                           bool are_unequal = false);

/// Returns whether lanes claim from a shared pool. Under static partitions, each lane computes its claims in advance.
bool is_dynamic(PartitionKind kind);

/// Returns the size of the next claim from a pool of `total` iterations, `taken` of which were claimed before, for one
/// of `workers` workers. `weight` is the speed of this worker relative to the mean (weighted_factoring only). With P
/// workers and R remaining iterations: self: 1. guided: ceil(R / P). factoring: batches of P equal chunks, each batch
/// half of the remaining iterations. A worker that trains `at_once` iterations together gets as many, but no more than
/// ceil(R / P) for that reason, times its weight under weighted_factoring. The result is from 1 to R, or 0 if R = 0.
std::int64_t chunk_size(PartitionKind kind, std::int64_t total, std::int64_t taken, std::int64_t workers, double weight,
                        std::int64_t at_once = 1);

/// Returns the size of the next range from the job's pool for a node with `node_lanes` of the `workers` lanes. It is
/// one claim for each lane, so that a node makes one request per batch. At the tail of the work, where claims have one
/// iteration, a node gets at most `wanted` iterations, to keep the load balanced. self: `wanted` iterations, but no
/// more than factoring would assign to the whole node.
std::int64_t range_size(PartitionKind kind, std::int64_t total, std::int64_t taken, std::int64_t workers,
                        std::int64_t node_lanes, double weight, std::int64_t wanted);

/// Returns the number of iterations that a node requests next under self (`wanted` of range_size), if the `last` ones
/// lasted `seconds`. A request takes a fraction of a millisecond, so the node aims at one request per ten milliseconds.
/// The result is at least `waiting`, the number of lanes that wait now, and at most `most`.
std::int64_t next_wanted(std::int64_t last, std::int64_t waiting, std::int64_t most, double seconds);

/// Returns the number of lanes for which a node requests claims (`wanted` of range_size) under the other dynamic rules.
/// If iterations take so long that rank 0 can answer each of the `workers` lanes in that time, the result is the number
/// of `waiting` lanes; otherwise it is `node_lanes`. `iteration_seconds` is 0 if unknown.
std::int64_t wanted_lanes(std::int64_t waiting, std::int64_t node_lanes, std::int64_t workers,
                          double iteration_seconds);

/// Returns claim number `claim_index` of worker `worker` under a static partition. block: one range. cyclic: iterations
/// worker, worker + workers, ..., one per claim. The range is empty after the last claim.
IndexRange static_claim(PartitionKind kind, std::int64_t total, std::int64_t workers, std::int64_t worker,
                        std::int64_t claim_index);

}  // namespace sheaf
