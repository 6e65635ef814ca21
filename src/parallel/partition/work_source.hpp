// Hands out iterations 0..total-1, each exactly once, to the lanes of all ranks.
//
// Lanes of one node claim from its pool in shared memory, by one atomic operation, whatever any other rank does. With
// several nodes, the first rank of each asks rank 0 for ranges, many at a time and ahead of need; rank 0 answers in
// `service`, which its main thread calls while its lanes train. Only main threads call MPI.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "core/index_range.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/study.hpp"

namespace sheaf {

/// The message about a host that is out of reach: "host 'b' has not answered for 60 s (...)". Pure.
std::string silence_text(const std::string& host, double seconds, double timeout_seconds);

class WorkSource {
 public:
  /// `lanes`: worker threads of this rank; ranks may differ. `node`: ranks that share memory (tests may split finer
  /// than the machine). Both outlive it. At most 2^32 - 1 iterations. `timeout_seconds`: how long another node may be
  /// silent. Throws AgreedError when a node has too little shared memory. Collective over world.
  WorkSource(PartitionKind kind, std::int64_t total, int lanes, const Communicator& world, const Communicator& node,
             double timeout_seconds = std::numeric_limits<double>::infinity());
  /// Calls `leave` unless that was done. Collective over world.
  ~WorkSource();
  WorkSource(const WorkSource&) = delete;
  WorkSource& operator=(const WorkSource&) = delete;

  /// The next claim of lane `lane`, or an empty range when there is no more work or `stop` was called. Waits asleep
  /// while its node waits for rank 0. Called by lanes, concurrently. Local; makes no MPI call.
  IndexRange claim(int lane);

  /// Tells that a lane did `count` iterations in `seconds`: measures speeds for weighted_factoring and feeds
  /// `finished_count`. Called by lanes. Local; makes no MPI call.
  void report(int lane, std::int64_t count, double seconds);

  /// To be called by the main thread of every rank, again and again until the run is over (also while it waits for
  /// others at its end): moves claims and counts between nodes. Returns the seconds it may sleep before the next
  /// call. Throws ConnectionLost, on all ranks of a node, when another node has been silent for too long; may be called
  /// after that, and throws no more then. Local, never blocks.
  double service();
  /// The lanes of this rank have ended. Called once, by the main thread. Local.
  void end_lanes();
  /// Takes leave of the other ranks: no call but those of a destructor comes after it. Waits asleep for all; throws
  /// ConnectionLost as `service` does. Collective over world.
  void leave();

  /// Iterations reported finished by all ranks, as far as this rank knows (rank 0: at most about a second old). Local.
  std::int64_t finished_count() const;

  /// This rank asks other nodes for work, and reports for its own.
  bool is_leader() const;

  /// No more claims, on any node: the others learn of it by `service`, within about a quarter of a second. What is
  /// claimed is the lanes' to finish or to leave. Local.
  void stop();
  /// Whether `stop` was called, here or elsewhere, as far as this node knows. Local, called by lanes, too.
  bool is_stopped() const;

  /// For a rank that cannot go on: true on the first one of the node, whose message will do. Local.
  bool is_first_failure();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sheaf
