// The part of the work that one node has in its shared memory, and what its lanes tell of themselves.
//
// The pool has two slots; each holds one range that is being handed out, as one atomic word (next, end), so that a
// claim is one compare-and-swap. The node's first rank alone fills slots, and only empty ones; two, so that one can be
// filled while the lanes empty the other. The ranges of one node come in ascending order, so a word never repeats and
// a compare-and-swap never takes an old range for a new one.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "core/index_range.hpp"
#include "parallel/mpi/communicator.hpp"
#include "parallel/mpi/shared_array.hpp"
#include "study/study.hpp"

namespace sheaf {

class NodePool {
 public:
  /// An empty pool for `lanes` workers of this rank and those of the node's others. Collective over `node`.
  NodePool(PartitionKind kind, int lanes, const Communicator& node);

  /// Workers of the whole node.
  std::int64_t lanes() const { return lanes_; }

  /// The next claim of this rank's lane `lane`; waits asleep while the pool is empty but not closed. Empty: the pool is
  /// closed and empty, or stopped. Dynamic partitions only. Called by lanes, concurrently.
  IndexRange claim(int lane);
  /// How often this was called before for that lane, under static partitions.
  std::int64_t next_static_claim(int lane);

  /// A lane did `count` iterations in `seconds`. Called by lanes.
  void report(int lane, std::int64_t count, double seconds);
  /// Iterations reported by all lanes of the node.
  std::int64_t finished() const;
  /// The mean speed of the node's lanes in iterations per second, 0 while unknown; claims under weighted_factoring
  /// weigh lanes against it from now on. First rank only.
  double measure();

  bool has_empty_slot() const;
  /// Both slots are empty.
  bool is_empty() const;
  /// Lanes that wait in claim(); some may not have seen yet that a slot was filled.
  std::int64_t waiting_lanes() const;
  /// Puts a range into an empty slot. First rank only.
  void add(const IndexRange& range);
  /// No range will be added any more. First rank only.
  void close();
  bool is_closed() const;

  void stop();
  bool is_stopped() const;
  /// The lanes of this rank have ended. Called once by each rank's main thread.
  void end_lanes();
  /// Those of all ranks of the node have.
  bool lanes_ended() const;
  /// The node has lost the connection to the others: each of its ranks ends by itself.
  void abandon();
  bool is_abandoned() const;
  bool is_first_failure();

 private:
  struct Slot;
  struct Board;
  struct Worker;

  // The next claim, empty when there will be none; nothing when there is none now.
  std::optional<IndexRange> try_claim(int lane);
  IndexRange claim_from(Slot& slot, double weight) const;
  double weight_of(const Worker& worker) const;
  Worker& worker_of(int lane) const;

  PartitionKind kind_;
  std::int64_t own_lanes_;
  std::int64_t lanes_;
  std::int64_t first_lane_;
  SharedArray memory_;
  Board* board_;
  Worker* workers_;
};

}  // namespace sheaf
