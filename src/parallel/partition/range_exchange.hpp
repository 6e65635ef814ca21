// How nodes get ranges of the job's iterations from rank 0, and rank 0 their counts.
//
// The protocol: the first rank of a node (its leader) sends a NodeReport to rank 0, which answers each with one
// RangeGrant. A leader sends the next report only when it has the answer to the last one. Its last report says
// `leaving`; rank 0 waits for one from every leader, and then posts no receive any more. So each message that was sent
// is received, nothing is cancelled, and rank 0 holds at most one unsent answer for each leader. Reports carry counts
// since the start, not differences. The leader of rank 0's own node is answered without a message. Leaders report from
// time to time even without news, so a leader that is silent for long is out of reach, and so is rank 0 when it does
// not answer.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "parallel/mpi/communicator.hpp"
#include "parallel/mpi/message.hpp"
#include "parallel/partition/range_dispenser.hpp"
#include "study/study.hpp"

namespace sheaf {

/// A host that does not answer.
struct SilentHost {
  std::string name;
  double seconds = 0;  ///< since its last message; on a leader: since rank 0 should have answered
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
  std::int64_t finished_elsewhere() const { return dispenser_.finished_elsewhere(); }

  /// The host that has been silent for more than `timeout_seconds`, the longest-silent one of several; noticed within
  /// a tenth of that. On rank 0 any leader's, elsewhere rank 0's. Time in which this rank did not poll itself, because
  /// it was suspended, does not count.
  std::optional<SilentHost> silent_host(double timeout_seconds);
  /// "host 'b'" where there is one other, "one of 15 other hosts" else.
  std::string other_hosts() const;

 private:
  // An answer to another node; it stays until it is sent.
  struct Answer {
    RangeGrant grant;
    Message sending;
  };

  struct Introduction;  // sent to rank 0 by each node at the start
  static std::vector<Introduction> gather_introductions(std::int64_t lanes, const Communicator& leaders);
  static std::vector<NodeState> states_of(const std::vector<Introduction>& nodes);

  RangeExchange(PartitionKind kind, std::int64_t pool, std::int64_t workers, const std::vector<Introduction>& nodes,
                const Communicator& leaders);
  void advance_time();
  void receive_next_report();
  void answer_reports();

  const Communicator& leaders_;
  std::vector<std::string> hosts_;  // of the nodes on rank 0, of rank 0 elsewhere

  // Seconds since the start in which this rank polled.
  double now_ = 0;
  Clock::time_point polled_at_ = Clock::now();

  // own question
  bool asking_ = false;
  double asking_since_ = 0;
  NodeReport report_;
  RangeGrant answer_;
  Message incoming_;  // the answer
  Message outgoing_;  // the report

  // rank 0
  RangeDispenser<> dispenser_;
  std::vector<Answer> answers_;
  std::size_t sent_ = 0;  // answers before this one need no more looking after, once all have left
  double looked_ = 0;     // for silent nodes
  NodeReport received_;
  Message receiving_;
};

}  // namespace sheaf
