// Rank 0's record of each node, and its answers to their reports. Pure: times are arguments.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/index_range.hpp"
#include "parallel/partition/chunk_rules.hpp"
#include "study/run_options.hpp"

namespace sheaf {

struct NodeReport {
  std::int64_t finished = 0;  ///< iterations that the node's lanes have finished since the start
  std::int64_t wanted = 0;    ///< argument of range_size; 0: no request for a range
  double lane_rate = 0;       ///< mean iterations per second of its lanes; 0: unknown
  double lowest_cost = std::numeric_limits<double>::infinity();  ///< of the node's finished iterations
  bool stopped = false;                                          ///< the job must not begin more iterations
  bool search_over = false;                                      ///< the time of a search is over
  bool leaving = false;                                          ///< this is the last report of the node
};

struct RangeGrant {
  IndexRange range;        ///< empty without a request, or if no iterations are left at the moment
  bool exhausted = false;  ///< no iterations are left, and none will be added
  bool stopped = false;    ///< a node has reported `stopped`
  bool search_over = false;
};

/// The state of a node, as reported to rank 0.
struct NodeState {
  std::int64_t lanes = 0;
  std::int64_t finished = 0;
  double lane_rate = 0;
  double last_report_seconds = 0;  ///< time of its last report
  bool waits = false;              ///< its last request was in vain
  bool knows_exhausted = false;
  bool has_left = false;
};

/// Hands out iterations 0..pool-1 to nodes, and then the ranges that are added. The cost of an answer does not depend
/// on the number of nodes, because totals over nodes are running sums. `Nodes` is a sequence of NodeState; a test
/// substitutes one that counts accesses.
template <class Nodes = std::vector<NodeState>>
class RangeDispenser {
 public:
  /// `workers` is the number of lanes in the job. Node 0 is that of rank 0. `is_open`: until close() is called, ranges
  /// may be added.
  RangeDispenser(PartitionKind kind, std::int64_t pool, std::int64_t workers, Nodes nodes, bool is_open = false)
      : kind_(kind),
        pool_(pool),
        workers_(workers),
        nodes_(std::move(nodes)),
        node_count_(nodes_.size()),
        is_open_(is_open) {}

  /// Adds iterations after the pool, which are handed out at most one per wanted lane. They must not have been added
  /// before.
  void add(const IndexRange& range) {
    assert(is_open_ && range.begin >= pool_);
    if (!range.empty()) added_.push_back(range);
  }
  /// Declares that no more ranges will be added, and drops those that were added and not handed out yet.
  void close() {
    is_open_ = false;
    added_.clear();
  }
  /// Whether the last request of a node was in vain, and there is still nothing to hand out.
  bool is_short() const { return waiting_nodes_ > 0 && taken_ == pool_ && added_.empty(); }

  /// Records the report of a node and returns the answer.
  RangeGrant answer(std::size_t index, const NodeReport& report, double now) {
    NodeState& node = nodes_[index];
    note(node, index, report, now);
    RangeGrant granted{{taken_, taken_}, false, stopped_, search_over_};
    if (report.wanted > 0) request_seconds_ = now;
    if (report.wanted > 0 && !stopped_) granted.range = take_range(node, report.wanted);
    if (report.wanted > 0) {
      const bool waits = granted.range.empty();
      waiting_nodes_ += waits && !node.waits ? 1 : 0;
      waiting_nodes_ -= !waits && node.waits ? 1 : 0;
      node.waits = waits;
    }
    granted.exhausted = taken_ == pool_ && !is_open_;
    if ((granted.exhausted || report.leaving) && !std::exchange(node.knows_exhausted, true)) ++informed_nodes_;
    if (report.leaving && !std::exchange(node.has_left, true)) ++left_;
    return granted;
  }

  /// Returns whether a node may still send a request, because it does not know yet that no iterations are left.
  bool expects_requests() const { return pool_ > 0 && informed_nodes_ < node_count_; }
  /// Returns the time of the last request for a range.
  double request_seconds() const { return request_seconds_; }
  /// Returns the number of finished iterations on other nodes, as last reported.
  std::int64_t finished_elsewhere() const { return finished_elsewhere_; }
  /// Returns the lowest cost on other nodes, as last reported.
  double lowest_cost_elsewhere() const { return lowest_cost_elsewhere_; }
  /// Returns whether all nodes except that of rank 0 have left.
  bool others_have_left() const { return left_ + 1 >= node_count_; }

  /// Returns the node (other than that of rank 0) with the oldest last report, and the time of that report. Visits all
  /// nodes, so do not call it for every message.
  std::optional<std::pair<std::size_t, double>> most_silent() const {
    std::optional<std::pair<std::size_t, double>> found;
    for (std::size_t index = 1; index < node_count_; ++index) {
      const NodeState& node = nodes_[index];
      if (!node.has_left && (!found || node.last_report_seconds < found->second))
        found = {index, node.last_report_seconds};
    }
    return found;
  }

 private:
  IndexRange take_range(const NodeState& node, std::int64_t wanted) {
    const std::int64_t begin = taken_;
    if (taken_ < pool_) {
      taken_ += range_size(kind_, pool_, taken_, workers_, node.lanes, weight_of(node), wanted);
      return {begin, taken_};
    }
    if (added_.empty()) return {begin, begin};
    IndexRange& next = added_.front();
    const IndexRange taken{next.begin, std::min(next.end, next.begin + std::min(wanted, node.lanes))};
    next.begin = taken.end;
    if (next.empty()) added_.pop_front();
    return taken;
  }

  void note(NodeState& node, std::size_t index, const NodeReport& report, double now) {
    node.last_report_seconds = now;
    if (index > 0) {
      finished_elsewhere_ += report.finished - node.finished;
      lowest_cost_elsewhere_ = std::min(lowest_cost_elsewhere_, report.lowest_cost);
    }
    node.finished = report.finished;
    stopped_ |= report.stopped;
    search_over_ |= report.search_over;
    const auto lanes = static_cast<double>(node.lanes);
    rate_sum_ += (report.lane_rate - node.lane_rate) * lanes;
    lane_sum_ += (report.lane_rate > 0 ? lanes : 0) - (node.lane_rate > 0 ? lanes : 0);
    node.lane_rate = report.lane_rate;
  }

  // Returns the speed of its lanes relative to the mean of all lanes whose speed is known.
  double weight_of(const NodeState& node) const {
    return node.lane_rate > 0 && rate_sum_ > 0 ? node.lane_rate * lane_sum_ / rate_sum_ : 1;
  }

  PartitionKind kind_;
  std::int64_t pool_;
  std::int64_t workers_;
  Nodes nodes_;
  std::size_t node_count_;
  bool is_open_;
  std::int64_t taken_ = 0;        // of the pool
  std::deque<IndexRange> added_;  // not handed out yet
  std::size_t waiting_nodes_ = 0;
  std::int64_t finished_elsewhere_ = 0;
  double lowest_cost_elsewhere_ = std::numeric_limits<double>::infinity();
  std::size_t informed_nodes_ = 0;
  std::size_t left_ = 0;
  double rate_sum_ = 0;  // sum over lanes whose speed is known
  double lane_sum_ = 0;
  bool stopped_ = false, search_over_ = false;
  double request_seconds_ = 0;
};

}  // namespace sheaf
