// Hands out the iterations of each stage, 0..total-1, each exactly once, to the lanes of all ranks.
//
// The lanes of a node claim iterations from a pool in shared memory, by one atomic operation that does not depend on
// other ranks. With several nodes, the first rank of each node requests ranges from rank 0, ahead of need. Rank 0
// answers in `service`, which its main thread calls while its lanes train. Only main threads call MPI.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "core/index_range.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/run_options.hpp"

namespace sheaf {

/// Returns the message about an unreachable host: "host 'b' has not answered for 60 s (...)". Pure.
std::string silence_text(const std::string& host, double seconds, double timeout_seconds);

/// Whether ranges can be added to the work that was begun. Dynamic partitions only.
enum class MoreWork { none, may_follow };

/// Lives as long as a run. Between begin() and leave(), the lanes of all ranks claim the iterations of a stage.
class WorkSource {
 public:
  /// `lanes` is the number of worker threads of this rank and may differ between ranks. `node` contains the ranks that
  /// share memory with this one (tests use smaller groups). `world` and `node` must outlive this object.
  /// `timeout_seconds` is the time for which another node may be silent. Throws AgreedError if a node has too little
  /// shared memory. Collective over world.
  WorkSource(int lanes, const Communicator& world, const Communicator& node,
             double timeout_seconds = std::numeric_limits<double>::infinity());
  /// Calls `leave` if that was not done. Collective over world.
  ~WorkSource();
  WorkSource(const WorkSource&) = delete;
  WorkSource& operator=(const WorkSource&) = delete;

  /// Begins to hand out `total` iterations, at most 2^32 - 1. No lane may claim meanwhile, and all ranks must have left
  /// the work before. Counts, costs and `stop` begin anew. Collective over world.
  void begin(PartitionKind kind, std::int64_t total, MoreWork more = MoreWork::none);
  /// Adds iterations from `total` on, below 2^32, which were not added before. They are handed out last, in the order
  /// in which they were added. Lanes without work wait for them until close() is called. For rank 0 with
  /// MoreWork::may_follow. Local.
  void add(const IndexRange& iterations);
  /// Declares that no more iterations will be added, and drops those that were added and not requested by a node yet.
  /// For rank 0. Local.
  void close();
  /// Returns whether lanes wait for iterations to be added, as far as rank 0 knows. Local.
  bool is_short() const;

  /// Returns the number of lanes of all ranks.
  std::int64_t lane_count() const;

  /// Returns the next claim of lane `lane`, or an empty range if there is no more work or `stop` was called. Sleeps
  /// while the node waits for rank 0, or for iterations to be added. `at_once`: the lane trains so many iterations
  /// together. Called by lanes, concurrently. Local; does not call MPI.
  IndexRange claim(int lane, std::int64_t at_once = 1);
  /// Same, but returns an empty range instead of sleeping.
  IndexRange claim_if_ready(int lane, std::int64_t at_once = 1);

  /// Records that a lane finished `count` iterations in `seconds`, for `finished_count` and for the speeds that
  /// weighted_factoring uses, and the lowest cost among them, for `lowest_cost`. Called by lanes. Local; does not call
  /// MPI.
  void report(int lane, std::int64_t count, double seconds,
              double lowest_cost = std::numeric_limits<double>::infinity());

  /// Exchanges claims and counts with other nodes. The main thread of every rank must call it repeatedly until the run
  /// is over, also while it waits for other ranks at the end. Returns the seconds that it may sleep before the next
  /// call. Throws ConnectionLost, on all ranks of a node, if another node has been silent for too long. It may be
  /// called again after that and does not throw again. Local, never blocks.
  double service();
  /// Records that the lanes of this rank have ended. Called once between begin() and leave(), by the main thread.
  /// Local.
  void end_lanes();
  /// Ends the exchange with the other ranks. Sleeps until all ranks have called it. Afterwards only begin(), the counts
  /// and the destructor may be called. Throws ConnectionLost like `service`. Collective over world.
  void leave();

  /// Returns the number of finished iterations on all ranks, as far as this rank knows. On rank 0 the number is at most
  /// about a second old. Local.
  std::int64_t finished_count() const;
  /// Returns the lowest reported cost of all ranks, as far as this rank knows; infinity if there is none. As current as
  /// `finished_count`. Local.
  double lowest_cost() const;

  /// Returns whether this rank communicates with other nodes on behalf of its node.
  bool is_leader() const;

  /// Stops claims on all nodes. Other nodes learn of it in `service`, within about a quarter of a second. Lanes decide
  /// whether they finish the iterations that they have claimed. Local.
  void stop();
  /// Returns whether `stop` was called on any rank, as far as this node knows. Local; may be called by lanes.
  bool is_stopped() const;
  /// Tells the lanes of all nodes that the time of a search is over, so that they may end their iterations with the
  /// results so far. Called before stop(), if both are. Rank 0 only.
  void end_search();
  /// Returns whether rank 0 has called `end_search`, as far as this node knows. Local; may be called by lanes.
  bool is_search_over() const;
  /// Returns whether the node will get no more iterations. Local; may be called by lanes.
  bool is_closed() const;

  /// For a rank that cannot continue: returns true on the first such rank of the node, which logs the message. Local.
  bool is_first_failure();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sheaf
