// The decisions of a node's leader: when to report to rank 0, how many iterations to request, and how long to sleep.
// Pure: times are arguments.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "parallel/partition/chunk_rules.hpp"
#include "parallel/partition/range_dispenser.hpp"
#include "study/run_options.hpp"

namespace sheaf {

/// Seconds between reports without a request. All nodes together send at most about 10,000 reports per second.
struct ReportPeriods {
  double news = 0;    ///< while iterations finish
  double listen = 0;  ///< while the lanes train without finishing an iteration, to learn whether the job stops
  double rest = 0;    ///< after the end of the node's work, as a heartbeat
  double retry = 0;   ///< between requests while rank 0 has no iterations

  /// `timeout_seconds` is the time without a message that ends the job, or infinity.
  ReportPeriods(std::int64_t nodes, double timeout_seconds)
      : news(std::max(0.1, seconds_per_node * static_cast<double>(nodes))),
        listen(std::max(std::min(0.25, timeout_seconds / 4), news)),
        rest(std::max(std::min(5.0, timeout_seconds / 4), news)),
        retry(std::max(20e-3, seconds_per_node * static_cast<double>(nodes))) {}

 private:
  static constexpr double seconds_per_node = 1e-4;
};

/// The longest pause of a thread that polls.
inline constexpr double idle_pause_seconds = 20e-3;

/// Returns the pause of a thread that has waited for `seconds`. The pause extends the wait by at most half a percent
/// (or 0.1 ms). Pure.
inline double pause_for(double seconds) {
  constexpr double shortest_seconds = 100e-6;
  return std::clamp(seconds / 200, shortest_seconds, idle_pause_seconds);
}

/// Schedules the reports of one leader.
class LeaderSchedule {
 public:
  /// The node has `node_lanes` of the `workers` lanes in the job.
  LeaderSchedule(PartitionKind kind, std::int64_t total, std::int64_t node_lanes, std::int64_t workers,
                 ReportPeriods periods)
      : kind_(kind),
        total_(std::max<std::int64_t>(total, 1)),
        lanes_(node_lanes),
        workers_(workers),
        periods_(periods) {}

  /// Returns the report that is due, if any. Must not be called before the last report is answered. `pool` is the
  /// NodePool of the node.
  template <class Pool>
  std::optional<NodeReport> due(Pool& pool, double now) {
    const bool wants = wants_range(pool, now);
    if (!wants && pool.is_stopped() == reported_stopped_ && !is_time_to_report(pool, now)) return std::nullopt;
    NodeReport report = report_of(pool, now);
    if (!wants) return report;
    if (requested_at_) request_interval_ = now - *requested_at_;
    report.wanted = wanted_ = wanted(pool);
    requested_at_ = now;
    return report;
  }

  /// Returns the final report.
  template <class Pool>
  NodeReport last(Pool& pool, double now) {
    NodeReport report = report_of(pool, now);
    report.leaving = true;
    return report;
  }

  /// Records the range in the answer to the last report.
  void accept(const IndexRange& range) {
    if (requested_at_ == reported_) was_in_vain_ = range.empty();
    if (range.empty()) return;
    if (kind_ == PartitionKind::self) wanted_ = range.count();
    is_tail_ = kind_ != PartitionKind::self && range.count() <= lanes_;
  }

  /// Returns the seconds that the leader may sleep before it calls due() again.
  template <class Pool>
  double pause(const Pool& pool, double now) const {
    if (pool.is_closed() || pool.is_stopped() || was_in_vain_) return idle_pause_seconds;
    return pause_for(requested_at_ ? now - *requested_at_ : 0);
  }

 private:
  static constexpr double lasting_seconds = 20e-3;  // longer ranges are not requested ahead

  // Short ranges are requested ahead of need. Long ranges and the tail of the work are not, because another node could
  // train the iterations that would wait in a slot.
  template <class Pool>
  bool wants_range(const Pool& pool, double now) const {
    if (pool.is_closed() || pool.is_stopped()) return false;
    if (was_in_vain_ && now - *requested_at_ < periods_.retry) return false;
    if (request_interval_ < lasting_seconds && !is_tail_) return pool.has_empty_slot();
    return pool.is_empty() && pool.waiting_lanes() > 0;
  }

  template <class Pool>
  std::int64_t wanted(Pool& pool) const {
    if (kind_ == PartitionKind::self) return next_wanted(wanted_, pool.waiting_lanes(), total_, request_interval_);
    const double rate = pool.measure();
    return wanted_lanes(pool.waiting_lanes(), lanes_, workers_, rate > 0 ? 1 / rate : 0);
  }

  template <class Pool>
  bool is_time_to_report(const Pool& pool, double now) const {
    const double elapsed = now - reported_;
    if (elapsed <= periods_.news) return false;
    if (pool.finished() != reported_finished_) return true;
    return elapsed > (pool.lanes_ended() ? periods_.rest : periods_.listen);
  }

  template <class Pool>
  NodeReport report_of(Pool& pool, double now) {
    NodeReport report;
    report.finished = reported_finished_ = pool.finished();
    report.lowest_cost = pool.lowest_cost();
    report.stopped = reported_stopped_ = pool.is_stopped();
    report.search_over = pool.is_search_over();
    if (kind_ == PartitionKind::weighted_factoring) report.lane_rate = pool.measure();
    reported_ = now;
    return report;
  }

  PartitionKind kind_;
  std::int64_t total_;
  std::int64_t lanes_;
  std::int64_t workers_;
  ReportPeriods periods_;
  std::int64_t wanted_ = 1;
  double request_interval_ =
      lasting_seconds;    // between the last two requests; the initial value prevents requests ahead of need
  bool is_tail_ = false;  // the last range had at most one iteration per lane
  std::optional<double> requested_at_;
  bool was_in_vain_ = false;  // the last request
  double reported_ = 0;
  std::int64_t reported_finished_ = 0;
  bool reported_stopped_ = false;
};

}  // namespace sheaf
