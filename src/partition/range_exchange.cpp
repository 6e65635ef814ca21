// SPDX-License-Identifier: MIT
#include "partition/range_exchange.hpp"

#include <cassert>
#include <type_traits>

#include "partition/chunk_rules.hpp"

namespace sheaf {
namespace {

constexpr int report_tag = 1;
constexpr int grant_tag = 2;
static_assert(std::is_trivially_copyable_v<NodeReport> && std::is_trivially_copyable_v<RangeGrant>,
              "sent as bytes: a job's machines have one layout");

}  // namespace

RangeExchange::RangeExchange(PartitionKind kind, std::int64_t pool, std::int64_t workers, std::int64_t node_lanes,
                             const Communicator& leaders)
    : kind_(kind), pool_(pool), workers_(workers), leaders_(leaders) {
  for (const std::int64_t lanes : leaders.gather(std::vector<std::int64_t>{node_lanes})) {
    nodes_.emplace_back();
    nodes_.back().lanes = lanes;
  }
  if (leaders_.is_root()) receive_next_report();
}

void RangeExchange::ask(const NodeReport& report) {
  assert(!asking_);
  asking_ = true;
  report_ = report;
  if (leaders_.is_root()) {
    answer_ = grant(0, report_);
    return;
  }
  incoming_ = Message::receive(leaders_, 0, grant_tag, &answer_, sizeof answer_);
  outgoing_ = Message::send(leaders_, 0, report_tag, &report_, sizeof report_);
}

std::optional<RangeGrant> RangeExchange::poll() {
  if (leaders_.is_root()) answer_reports();
  if (!asking_) return std::nullopt;
  if (!incoming_.is_done() || !outgoing_.is_done()) return std::nullopt;  // at once where nothing was sent
  asking_ = false;
  return answer_;
}

void RangeExchange::receive_next_report() {
  if (left_ + 1 == nodes_.size()) return;  // only rank 0's own node is left, and it sends nothing
  receiving_ = Message::receive(leaders_, Message::any_source, report_tag, &received_, sizeof received_);
}

void RangeExchange::answer_reports() {
  while (receiving_.is_pending()) {
    if (!receiving_.is_done()) return;
    const auto source = static_cast<std::size_t>(receiving_.source());
    Node& node = nodes_[source];
    // It asks again, so it has the last answer: this returns at once.
    node.sending.wait();
    finished_elsewhere_ += received_.finished - node.finished;
    node.answer = grant(source, received_);
    node.sending = Message::send(leaders_, receiving_.source(), grant_tag, &node.answer, sizeof node.answer);
    left_ += received_.leaving;
    receive_next_report();
  }
}

RangeGrant RangeExchange::grant(std::size_t index, const NodeReport& report) {
  Node& node = nodes_[index];
  node.finished = report.finished;
  node.lane_rate = report.lane_rate;
  stopped_ |= report.stopped;
  RangeGrant granted{{taken_, taken_}, false, stopped_};
  if (report.wanted > 0) asked_at_ = Clock::now();
  if (report.wanted > 0 && taken_ < pool_ && !stopped_)
    granted.range.end += range_size(kind_, pool_, taken_, workers_, node.lanes, weight_of(node), report.wanted);
  taken_ = granted.range.end;
  granted.exhausted = taken_ == pool_;
  told_exhausted_ += (granted.exhausted || report.leaving) && !node.told_exhausted;
  node.told_exhausted |= granted.exhausted || report.leaving;
  return granted;
}

double RangeExchange::weight_of(const Node& node) const {
  double rate_sum = 0, lane_sum = 0;
  for (const Node& other : nodes_) {
    if (other.lane_rate <= 0) continue;
    rate_sum += other.lane_rate * static_cast<double>(other.lanes);
    lane_sum += static_cast<double>(other.lanes);
  }
  return node.lane_rate > 0 ? node.lane_rate * lane_sum / rate_sum : 1;
}

bool RangeExchange::may_be_asked() const {
  return leaders_.is_root() && pool_ > 0 && told_exhausted_ < nodes_.size();
}

double RangeExchange::seconds_since_asked() const {
  return seconds_since(asked_at_);
}

bool RangeExchange::is_over() {
  if (!leaders_.is_root()) return !asking_ && report_.leaving;
  if (left_ + 1 < nodes_.size()) return false;
  for (Node& node : nodes_) {
    if (!node.sending.is_done()) return false;
  }
  return true;
}

}  // namespace sheaf
