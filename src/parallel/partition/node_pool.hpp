// The pool of iterations of one node, in shared memory, and the progress of its lanes.
//
// The pool has two slots. Each slot stores a range of iterations as one atomic word (next, end), so that a claim is one
// compare-and-swap. Only the first rank of the node fills slots, and only empty ones. There are two, so that one can be
// filled while the lanes claim from the other. The ranges of a node do not overlap, so a word never occurs twice and a
// compare-and-swap never mistakes an old range for a new one.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "core/index_range.hpp"
#include "parallel/mpi/communicator.hpp"
#include "parallel/mpi/shared_array.hpp"
#include "study/run_options.hpp"

namespace sheaf {

class NodePool {
 public:
  /// Creates an empty pool. `lanes` is the number of lanes of this rank. Collective over `node`, which must outlive
  /// this object.
  NodePool(int lanes, const Communicator& node);

  /// Makes the pool empty again, without reports. No rank may use the pool meanwhile. Collective over the node.
  void begin(PartitionKind kind);

  /// Returns the number of lanes of the node.
  std::int64_t lanes() const { return lanes_; }

  /// Returns the next claim of lane `lane` of this rank. Sleeps while the pool is empty but not closed. The range is
  /// empty if the pool is closed and empty, or stopped. Dynamic partitions only. Called by lanes, concurrently.
  /// `at_once`: the lane trains so many iterations together.
  IndexRange claim(int lane, std::int64_t at_once = 1);
  /// Same, but returns an empty range at once if the pool is empty.
  IndexRange claim_if_ready(int lane, std::int64_t at_once = 1);
  /// Returns the number of earlier calls for the lane. Static partitions only.
  std::int64_t next_static_claim(int lane);

  /// Records that a lane finished `count` iterations in `seconds`, and the lowest cost among them. Called by lanes.
  void report(int lane, std::int64_t count, double seconds, double lowest_cost);
  /// Returns the number of iterations reported by all lanes of the node.
  std::int64_t finished() const;
  /// Returns the lowest cost reported by all lanes of the node; infinity if there is none.
  double lowest_cost() const;
  /// Returns the mean speed of the node's lanes in iterations per second, or 0 while unknown. From then on, claims
  /// under weighted_factoring are weighted by speeds relative to this mean. First rank only.
  double measure();

  bool has_empty_slot() const;
  /// Returns whether both slots are empty.
  bool is_empty() const;
  /// Returns the number of lanes that wait in claim(). It may include lanes that have not yet noticed a filled slot.
  std::int64_t waiting_lanes() const;
  /// Puts a range into an empty slot. First rank only.
  void add(const IndexRange& range);
  /// Declares that no more ranges will be added. First rank only.
  void close();
  bool is_closed() const;

  void stop();
  bool is_stopped() const;
  /// Records that the time of a search is over.
  void end_search();
  bool is_search_over() const;
  /// Records that the lanes of this rank have ended. Called once by the main thread of each rank.
  void end_lanes();
  /// Returns whether the lanes of all ranks of the node have ended.
  bool lanes_ended() const;
  /// Records that the node has lost the connection to other nodes. Each of its ranks then ends on its own.
  void abandon();
  bool is_abandoned() const;
  /// Returns true on the first call of any rank of the node, false on later calls.
  bool is_first_failure();

 private:
  struct Slot;
  struct Board;
  struct Worker;

  // Returns the next claim, or nullopt if none is available now. The range is empty if there will be no more claims.
  std::optional<IndexRange> try_claim(int lane, std::int64_t at_once);
  std::array<Slot*, 2> slots_in_order() const;
  IndexRange claim_from(Slot& slot, double weight, std::int64_t at_once) const;
  double weight_of(const Worker& worker) const;
  Worker& worker_of(int lane) const;

  const Communicator& node_;
  PartitionKind kind_ = PartitionKind::self;
  std::int64_t own_lanes_;
  std::int64_t lanes_;
  std::int64_t first_lane_;
  SharedArray memory_;
  Board* board_;
  Worker* workers_;
};

}  // namespace sheaf
