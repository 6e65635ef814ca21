// Message exchange between rank 0 and the other nodes: nodes get ranges of iterations, rank 0 gets their counts.
//
// The protocol: the first rank of a node (its leader) sends a NodeReport to rank 0, which answers each report with one
// RangeGrant. A leader sends the next report only after the answer to the last one. Its last report has `leaving` set.
// Rank 0 waits for that report from every leader and then posts no more receives. So every message is received, no
// request is canceled, and rank 0 has at most one unsent answer per leader. Reports contain counts since the start, not
// differences. The leader of rank 0's own node is answered without a message. Leaders also report periodically without
// news. Therefore a leader that is silent for long is unreachable. Rank 0 is unreachable if it does not answer.
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
#include "study/run_options.hpp"

namespace sheaf {

/// A host that does not answer.
struct SilentHost {
  std::string name;
  double seconds = 0;  ///< on rank 0: since its last message; on other leaders: since the unanswered report
};

/// One leader's side of the exchange. Every leader creates it in its main thread. All members except the constructor
/// are local and do not block.
class RangeExchange {
 public:
  /// Hands out iterations 0..pool-1 to `workers` lanes in the whole job. The pool of static partitions is 0. `leaders`
  /// contains one rank per node, with rank 0 of the world first, and must outlive this object. `is_open`: rank 0 may
  /// add ranges. Collective over leaders.
  RangeExchange(PartitionKind kind, std::int64_t pool, std::int64_t workers, std::int64_t node_lanes,
                const Communicator& leaders, bool is_open = false);
  RangeExchange(const RangeExchange&) = delete;
  RangeExchange& operator=(const RangeExchange&) = delete;

  /// Sends a report to rank 0. Must not be called while is_awaiting_answer().
  void send(const NodeReport& report);
  /// Returns whether the last report has not been answered yet.
  bool is_awaiting_answer() const { return awaiting_answer_; }
  /// On rank 0, answers the reports of other leaders. Returns the answer to this leader's report when it has arrived.
  std::optional<RangeGrant> poll();

  /// The iterations that are handed out. Only on rank 0.
  RangeDispenser<>& dispenser() { return dispenser_; }
  const RangeDispenser<>& dispenser() const { return dispenser_; }

  /// Returns whether a node may still send a request. Always false on other ranks than 0.
  bool expects_requests() const;
  /// Returns the seconds since the last request of any node. For rank 0.
  double seconds_since_request() const;
  /// Returns whether the last reports of all leaders have been answered. On other ranks than 0, considers only this
  /// leader's.
  bool is_over();
  /// Returns the number of finished iterations on other nodes, as last reported. Always 0 on other ranks than 0.
  std::int64_t finished_elsewhere() const { return dispenser_.finished_elsewhere(); }
  /// Returns the lowest cost on other nodes, as last reported. Always infinity on other ranks than 0.
  double lowest_cost_elsewhere() const { return dispenser_.lowest_cost_elsewhere(); }

  /// Returns a host that has been silent for more than `timeout_seconds`, if any; if there are several, the one that
  /// has been silent longest. Rank 0 checks all leaders, at intervals of a tenth of the timeout; other leaders check
  /// rank 0. Time in which this process was suspended does not count.
  std::optional<SilentHost> silent_host(double timeout_seconds);
  /// Returns "host 'b'" if there is only one other host, otherwise for example "one of 15 other hosts".
  std::string other_hosts() const;

 private:
  // An answer to another node, which must exist until it is sent.
  struct Answer {
    RangeGrant grant;
    Message sending;
  };

  struct Introduction;  // the first message of each node to rank 0
  static std::vector<Introduction> gather_introductions(std::int64_t lanes, const Communicator& leaders);
  static std::vector<NodeState> states_of(const std::vector<Introduction>& nodes);

  RangeExchange(PartitionKind kind, std::int64_t pool, std::int64_t workers, const std::vector<Introduction>& nodes,
                const Communicator& leaders, bool is_open);
  void advance_time();
  void receive_next_report();
  void answer_reports();

  const Communicator& leaders_;
  std::vector<std::string> hosts_;  // on rank 0: of all nodes; elsewhere: of rank 0

  // Seconds since the start, without suspensions of the process.
  double now_ = 0;
  Clock::time_point polled_at_ = Clock::now();

  // This leader's report.
  bool awaiting_answer_ = false;
  double sent_at_ = 0;
  NodeReport report_;
  RangeGrant answer_;
  Message incoming_;  // the answer
  Message outgoing_;  // the report

  // Only on rank 0.
  RangeDispenser<> dispenser_;
  std::vector<Answer> answers_;
  std::size_t sent_ = 0;   // after all have left: the answers before this index are sent
  double checked_at_ = 0;  // time of the last check for silent nodes
  NodeReport received_;
  Message receiving_;
};

}  // namespace sheaf
