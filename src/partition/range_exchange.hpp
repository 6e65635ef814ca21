// How nodes get ranges of the job's iterations from rank 0, and rank 0 their counts.
//
// The protocol: the first rank of a node (its leader) sends a NodeReport to rank 0, which answers each with one
// RangeGrant. A leader sends the next report only when it has the answer to the last one. Its last report says
// `leaving`; rank 0 waits for one from every leader, and then posts no receive any more. So each message that was sent
// is received, nothing is cancelled, and rank 0 holds at most one unsent answer for each leader. Reports carry counts
// since the start, not differences. The leader of rank 0's own node is answered without a message.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/clock.hpp"
#include "core/index_range.hpp"
#include "mpi/communicator.hpp"
#include "mpi/message.hpp"
#include "options/study.hpp"

namespace sheaf {

struct NodeReport {
  std::int64_t finished = 0;  ///< iterations that the node's lanes have done since the start
  std::int64_t wanted = 0;    ///< as range_size takes it; 0: no range is asked for
  double lane_rate = 0;       ///< mean iterations per second of its lanes; 0: unknown
  bool stopped = false;       ///< the job shall begin no more iterations
  bool leaving = false;       ///< this is the last report
};

struct RangeGrant {
  IndexRange range;        ///< empty when none was asked for, or none is left
  bool exhausted = false;  ///< there is nothing more to ask for
  bool stopped = false;    ///< some node has said so
};

/// The leaders' exchange. Made by every leader, by its main thread; all calls but the constructor are local and do
/// not block.
class RangeExchange {
 public:
  /// Hands out 0..pool-1 for `workers` lanes in the whole job; static partitions have a pool of 0. `leaders`: one rank
  /// of each node, rank 0 of the world first; must outlive it. Collective over leaders.
  RangeExchange(PartitionKind kind, std::int64_t pool, std::int64_t workers, std::int64_t node_lanes,
                const Communicator& leaders);
  RangeExchange(const RangeExchange&) = delete;
  RangeExchange& operator=(const RangeExchange&) = delete;

  /// Sends a report to rank 0. Only when is_asking() is false.
  void ask(const NodeReport& report);
  /// The last report's answer is not here yet.
  bool is_asking() const { return asking_; }
  /// Answers what other leaders have asked (rank 0), and returns the answer to the own report once it is here.
  std::optional<RangeGrant> poll();

  /// Some node does not know yet that nothing is left. False elsewhere than on rank 0.
  bool may_be_asked() const;
  /// Since a range was last asked for, by any node. For rank 0.
  double seconds_since_asked() const;
  /// All leaders have said that they leave and have been answered; elsewhere than on rank 0: this one has.
  bool is_over();
  /// What the leaders of other nodes last reported finished. 0 elsewhere than on rank 0.
  std::int64_t finished_elsewhere() const { return finished_elsewhere_; }

 private:
  // What rank 0 knows of a node.
  struct Node {
    std::int64_t lanes = 0;
    std::int64_t finished = 0;
    double lane_rate = 0;
    bool told_exhausted = false;
    RangeGrant answer;  // stays until it is sent
    Message sending;
  };

  void receive_next_report();
  void answer_reports();
  RangeGrant grant(std::size_t node, const NodeReport& report);
  double weight_of(const Node& node) const;

  const PartitionKind kind_;
  const std::int64_t pool_;
  const std::int64_t workers_;
  const Communicator& leaders_;

  // own question
  bool asking_ = false;
  NodeReport report_;
  RangeGrant answer_;
  Message incoming_;  // the answer
  Message outgoing_;  // the report

  // rank 0
  std::int64_t taken_ = 0;
  std::int64_t finished_elsewhere_ = 0;
  std::size_t told_exhausted_ = 0;
  bool stopped_ = false;
  Clock::time_point asked_at_ = Clock::now();
  std::size_t left_ = 0;
  std::vector<Node> nodes_;
  NodeReport received_;
  Message receiving_;
};

}  // namespace sheaf
