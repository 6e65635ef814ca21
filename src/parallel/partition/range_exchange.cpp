// SPDX-License-Identifier: MIT
#include "parallel/partition/range_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <type_traits>

#include "parallel/mpi/session.hpp"

namespace sheaf {
namespace {

constexpr int report_tag = 1;
constexpr int grant_tag = 2;
static_assert(std::is_trivially_copyable_v<NodeReport> && std::is_trivially_copyable_v<RangeGrant>,
              "sent as bytes; all machines of a job have the same layout");

}  // namespace

struct RangeExchange::Introduction {
  std::int64_t lanes = 0;
  std::array<char, 64> host{};  // padded with zeros; a longer name is truncated

  std::string host_name() const { return {host.begin(), std::find(host.begin(), host.end(), '\0')}; }
};

std::vector<RangeExchange::Introduction> RangeExchange::gather_introductions(std::int64_t lanes,
                                                                             const Communicator& leaders) {
  Introduction own;
  own.lanes = lanes;
  const std::string host = MpiSession::host_name();
  std::copy_n(host.begin(), std::min(host.size(), own.host.size()), own.host.begin());
  return leaders.gather(std::vector<Introduction>{own});
}

std::vector<NodeState> RangeExchange::states_of(const std::vector<Introduction>& nodes) {
  std::vector<NodeState> states(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) states[i].lanes = nodes[i].lanes;
  return states;
}

RangeExchange::RangeExchange(PartitionKind kind, std::int64_t pool, std::int64_t workers, std::int64_t node_lanes,
                             const Communicator& leaders, bool is_open)
    : RangeExchange(kind, pool, workers, gather_introductions(node_lanes, leaders), leaders, is_open) {}

RangeExchange::RangeExchange(PartitionKind kind, std::int64_t pool, std::int64_t workers,
                             const std::vector<Introduction>& nodes, const Communicator& leaders, bool is_open)
    : leaders_(leaders), dispenser_(kind, pool, workers, states_of(nodes), is_open), answers_(nodes.size()) {
  for (const Introduction& node : nodes) hosts_.push_back(node.host_name());
  const std::string root = leaders.broadcast(MpiSession::host_name(), 0);
  if (leaders_.is_root())
    receive_next_report();
  else
    hosts_ = {root};
}

void RangeExchange::advance_time() {
  constexpr double longest_step = 1;  // a longer step means that this process was suspended
  const auto now = Clock::now();
  now_ += std::min(seconds_between(polled_at_, now), longest_step);
  polled_at_ = now;
}

void RangeExchange::send(const NodeReport& report) {
  assert(!awaiting_answer_);
  awaiting_answer_ = true;
  sent_at_ = now_;
  report_ = report;
  if (leaders_.is_root()) {
    answer_ = dispenser_.answer(0, report_, now_);
    return;
  }
  incoming_ = Message::receive(leaders_, 0, grant_tag, &answer_, sizeof answer_);
  outgoing_ = Message::send(leaders_, 0, report_tag, &report_, sizeof report_);
}

std::optional<RangeGrant> RangeExchange::poll() {
  advance_time();
  if (leaders_.is_root()) answer_reports();
  if (!awaiting_answer_) return std::nullopt;
  if (!incoming_.is_done() || !outgoing_.is_done()) return std::nullopt;  // both are done if nothing was sent
  awaiting_answer_ = false;
  return answer_;
}

void RangeExchange::receive_next_report() {
  if (dispenser_.others_have_left()) return;  // only the node of rank 0 is left, which sends no messages
  receiving_ = Message::receive(leaders_, Message::any_source, report_tag, &received_, sizeof received_);
}

void RangeExchange::answer_reports() {
  while (receiving_.is_pending()) {
    if (!receiving_.is_done()) return;
    const auto source = static_cast<std::size_t>(receiving_.source());
    Answer& answer = answers_[source];
    // The leader has received the last answer, or it would not send a new report. So this does not block.
    answer.sending.wait();
    answer.grant = dispenser_.answer(source, received_, now_);
    answer.sending = Message::send(leaders_, receiving_.source(), grant_tag, &answer.grant, sizeof answer.grant);
    receive_next_report();
  }
}

bool RangeExchange::expects_requests() const {
  return leaders_.is_root() && dispenser_.expects_requests();
}

double RangeExchange::seconds_since_request() const {
  return now_ - dispenser_.request_seconds();
}

bool RangeExchange::is_over() {
  if (!leaders_.is_root()) return !awaiting_answer_ && report_.leaving;
  if (!dispenser_.others_have_left()) return false;
  while (sent_ < answers_.size() && answers_[sent_].sending.is_done()) ++sent_;
  return sent_ == answers_.size();
}

std::optional<SilentHost> RangeExchange::silent_host(double timeout_seconds) {
  const auto silent = [&](std::size_t host, double since) -> std::optional<SilentHost> {
    if (now_ - since <= timeout_seconds) return std::nullopt;
    return SilentHost{hosts_[host], now_ - since};
  };
  if (!leaders_.is_root()) return awaiting_answer_ ? silent(0, sent_at_) : std::nullopt;
  if (now_ - checked_at_ < timeout_seconds / 10) return std::nullopt;
  checked_at_ = now_;
  const auto node = dispenser_.most_silent();
  return node ? silent(node->first, node->second) : std::nullopt;
}

std::string RangeExchange::other_hosts() const {
  return leaders_.size() == 2 ? fmt::format("host '{}'", hosts_.back())
                              : fmt::format("one of {} other hosts", leaders_.size() - 1);
}

}  // namespace sheaf
