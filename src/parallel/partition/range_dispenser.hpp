// Rank 0's books: the state of each node, and the answers to their reports. Pure: times are arguments.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/index_range.hpp"
#include "parallel/partition/chunk_rules.hpp"
#include "study/study.hpp"

namespace sheaf {

struct NodeReport {
  std::int64_t finished = 0;  ///< iterations that the node's lanes have done since the start
  std::int64_t wanted = 0;    ///< as range_size takes it; 0: no request for a range
  double lane_rate = 0;       ///< mean iterations per second of its lanes; 0: unknown
  bool stopped = false;       ///< the job shall begin no more iterations
  bool leaving = false;       ///< this is the last report
};

struct RangeGrant {
  IndexRange range;        ///< empty without a request, or when no iteration is left
  bool exhausted = false;  ///< no iteration is left
  bool stopped = false;    ///< some node has reported it
};

/// A node as rank 0 knows it.
struct NodeState {
  std::int64_t lanes = 0;
  std::int64_t finished = 0;
  double lane_rate = 0;
  double heard_seconds = 0;  ///< when its last report came
  bool told_exhausted = false;
  bool has_left = false;
};

/// Hands out iterations 0..pool-1 to nodes. An answer costs the same for any number of nodes: whatever concerns all of
/// them is a running sum. `Nodes`: a sequence of NodeState, in which a test counts the accesses.
template <class Nodes = std::vector<NodeState>>
class RangeDispenser {
 public:
  /// `workers`: lanes of the whole job. Node 0 is rank 0's own.
  RangeDispenser(PartitionKind kind, std::int64_t pool, std::int64_t workers, Nodes nodes)
      : kind_(kind), pool_(pool), workers_(workers), nodes_(std::move(nodes)), node_count_(nodes_.size()) {}

  /// Notes the report of a node, and answers it.
  RangeGrant answer(std::size_t index, const NodeReport& report, double now) {
    NodeState& node = nodes_[index];
    note(node, index, report, now);
    RangeGrant granted{{taken_, taken_}, false, stopped_};
    if (report.wanted > 0) asked_seconds_ = now;
    if (report.wanted > 0 && taken_ < pool_ && !stopped_)
      granted.range.end += range_size(kind_, pool_, taken_, workers_, node.lanes, weight_of(node), report.wanted);
    taken_ = granted.range.end;
    granted.exhausted = taken_ == pool_;
    if ((granted.exhausted || report.leaving) && !std::exchange(node.told_exhausted, true)) ++told_exhausted_;
    if (report.leaving && !std::exchange(node.has_left, true)) ++left_;
    return granted;
  }

  /// Some node has not been told yet that no iteration is left.
  bool may_be_asked() const { return pool_ > 0 && told_exhausted_ < node_count_; }
  /// The time of the last request for a range.
  double asked_seconds() const { return asked_seconds_; }
  /// Finished iterations of the other nodes, as last reported.
  std::int64_t finished_elsewhere() const { return finished_elsewhere_; }
  /// All nodes but rank 0's own have left.
  bool others_have_left() const { return left_ + 1 >= node_count_; }

  /// The node, other than rank 0's own, that has not reported for the longest time, with the time of its last report.
  /// Looks at all nodes: not for every message.
  std::optional<std::pair<std::size_t, double>> most_silent() const {
    std::optional<std::pair<std::size_t, double>> found;
    for (std::size_t index = 1; index < node_count_; ++index) {
      const NodeState& node = nodes_[index];
      if (!node.has_left && (!found || node.heard_seconds < found->second)) found = {index, node.heard_seconds};
    }
    return found;
  }

 private:
  void note(NodeState& node, std::size_t index, const NodeReport& report, double now) {
    node.heard_seconds = now;
    if (index > 0) finished_elsewhere_ += report.finished - node.finished;
    node.finished = report.finished;
    stopped_ |= report.stopped;
    const auto lanes = static_cast<double>(node.lanes);
    rate_sum_ += (report.lane_rate - node.lane_rate) * lanes;
    lane_sum_ += (report.lane_rate > 0 ? lanes : 0) - (node.lane_rate > 0 ? lanes : 0);
    node.lane_rate = report.lane_rate;
  }

  // The speed of its lanes relative to the mean of all whose speed is known.
  double weight_of(const NodeState& node) const {
    return node.lane_rate > 0 && rate_sum_ > 0 ? node.lane_rate * lane_sum_ / rate_sum_ : 1;
  }

  PartitionKind kind_;
  std::int64_t pool_;
  std::int64_t workers_;
  Nodes nodes_;
  std::size_t node_count_;
  std::int64_t taken_ = 0;
  std::int64_t finished_elsewhere_ = 0;
  std::size_t told_exhausted_ = 0;
  std::size_t left_ = 0;
  double rate_sum_ = 0;  // over lanes whose speed is known
  double lane_sum_ = 0;
  bool stopped_ = false;
  double asked_seconds_ = 0;
};

}  // namespace sheaf
