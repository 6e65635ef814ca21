// How many iterations one claim takes: the rules of the self-scheduling literature as pure functions.
// Sources: guided: Polychronopoulos and Kuck (1987); factoring: Hummel, Schonberg and Flynn (1992); weighted
// factoring: Hummel et al. (1996), weights measured as in Banicescu's adaptive weighted factoring (2003).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/index_range.hpp"
#include "study/study.hpp"

namespace sheaf {

/// What `automatic` stands for; other kinds are returned as they are. The lanes of a node train streamed data in
/// rounds, in which they wait for each other and read the file once for all their models. So where one node trains
/// models of one combination, claims that shrink would only make more rounds; models of different cost are evened out
/// by them.
PartitionKind settled_kind(PartitionKind kind, bool is_streamed, bool is_one_node, std::int64_t combinations);

/// Claims come from a shared pool, against being known to each worker in advance.
bool is_dynamic(PartitionKind kind);

/// Size of the next claim from a pool of `total` of which `taken` are gone, for one of `workers` equal workers;
/// `weight` is this worker's speed relative to the mean (1: average; weighted_factoring only).
/// self: 1. guided: ceil(R / P). factoring: batches of P equal chunks, each batch half of what remains.
/// At least 1 and at most what remains; 0 when nothing does.
std::int64_t chunk_size(PartitionKind kind, std::int64_t total, std::int64_t taken, std::int64_t workers,
                        double weight);

/// Size of the next range for a node with `node_lanes` of the `workers` lanes, from the job's pool: one claim for each
/// of its lanes, so that a node asks once per batch. Claims of one iteration are the tail of the work, which stays even
/// when a node gets only `wanted` of them, as long as it has so many lanes. self: `wanted` iterations, but no more than
/// factoring would give the whole node.
std::int64_t range_size(PartitionKind kind, std::int64_t total, std::int64_t taken, std::int64_t workers,
                        std::int64_t node_lanes, double weight, std::int64_t wanted);

/// How much a node wants next under self (`wanted` of range_size) after it got `last` and that lasted `seconds`: such
/// that it asks about every ten milliseconds, since a question costs a fraction of one; at least `waiting`, the lanes
/// that wait now, and at most `most`.
std::int64_t next_wanted(std::int64_t last, std::int64_t waiting, std::int64_t most, double seconds);

/// How many lanes of a node want a claim (`wanted` of range_size) under the other dynamic rules, while `waiting` of its
/// `node_lanes` wait: only these when iterations take so long that rank 0 could answer each of the `workers` lanes in
/// that time, else all. `iteration_seconds`: 0 if unknown.
std::int64_t wanted_lanes(std::int64_t waiting, std::int64_t node_lanes, std::int64_t workers,
                          double iteration_seconds);

/// Claim number `claim_index` of worker `worker` under a static partition: block: one range; cyclic: iterations
/// worker, worker + workers, ... one at a time. Empty: no more.
IndexRange static_claim(PartitionKind kind, std::int64_t total, std::int64_t workers, std::int64_t worker,
                        std::int64_t claim_index);

}  // namespace sheaf
