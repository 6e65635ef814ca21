// SPDX-License-Identifier: MIT
#include "commands/train/training/trial_values.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/bytes.hpp"

namespace sheaf {
namespace {

constexpr int head_tag = 3;
constexpr int batch_tag = 4;
constexpr int children_per_rank = 4;
constexpr std::chrono::milliseconds stop_check_period(20);

}  // namespace

std::string packed_values(const Plan& plan, const std::vector<std::int64_t>& trials) {
  ByteWriter bytes;
  for (const std::int64_t trial : trials) {
    const std::vector<std::string> values = plan.given(trial);
    bytes.put(trial);
    bytes.put(static_cast<std::int64_t>(values.size()));
    for (const auto& value : values) bytes.put_list(value);
  }
  return bytes.bytes();
}

void give_packed_values(Plan& plan, const std::string& bytes) {
  for (ByteReader reader(bytes); !reader.is_at_end();) {
    const auto trial = reader.get<std::int64_t>();
    std::vector<std::string> values(static_cast<std::size_t>(reader.get<std::int64_t>()));
    for (auto& value : values) value = reader.get_list<std::string>();
    if (plan.given(trial).empty()) plan.give(trial, std::move(values));
  }
}

TrialValues::TrialValues(Plan& plan, const Communicator& channel) : plan_(plan), channel_(channel) {
  const int first = channel.rank() * children_per_rank + 1;
  for (int child = first; child < std::min(first + children_per_rank, channel.size()); ++child)
    children_.push_back({child});
  if (!channel.is_root())
    receiving_head_ = Message::receive(channel, (channel.rank() - 1) / children_per_rank, head_tag, &received_head_,
                                       sizeof received_head_);
}

void TrialValues::service() {
  receive();
  pass_on();
}

bool TrialValues::is_over() {
  return head_.is_last && !is_sending();
}

bool TrialValues::await(std::int64_t trial, const std::function<bool()>& is_stopping) {
  std::unique_lock lock(mutex_);
  while (plan_.given(trial).empty()) {
    if (is_stopping()) return false;
    changed_.wait_for(lock, stop_check_period);
  }
  return true;
}

void TrialValues::receive() {
  if (channel_.is_root() || arrived_) return;
  if (receiving_head_.is_pending()) {
    if (!receiving_head_.is_done()) return;
    received_batch_.resize(static_cast<std::size_t>(received_head_.bytes));
    if (!received_batch_.empty())
      receiving_batch_ = Message::receive(channel_, receiving_head_.source(), batch_tag, received_batch_.data(),
                                          received_batch_.size());
  }
  if (head_.is_last || (receiving_batch_.is_pending() && !receiving_batch_.is_done())) return;
  {
    const std::lock_guard lock(mutex_);
    give_packed_values(plan_, received_batch_);
  }
  changed_.notify_all();
  arrived_ = received_head_;
}

// Sends the next batch to the children, once they have got the one before.
void TrialValues::pass_on() {
  if (head_.is_last || is_sending()) return;
  if (channel_.is_root()) {
    if (waiting_.empty() && !has_ended_) return;
    batch_ = packed_values(plan_, std::exchange(waiting_, {}));
    head_ = {static_cast<std::int64_t>(batch_.size()), has_ended_};
  } else {
    if (!arrived_) return;
    batch_ = std::move(received_batch_);
    head_ = *std::exchange(arrived_, std::nullopt);
  }
  for (Child& child : children_) {
    child.head = Message::send(channel_, child.to, head_tag, &head_, sizeof head_);
    if (!batch_.empty()) child.batch = Message::send(channel_, child.to, batch_tag, batch_.data(), batch_.size());
  }
  if (!channel_.is_root() && !head_.is_last)
    receiving_head_ = Message::receive(channel_, (channel_.rank() - 1) / children_per_rank, head_tag, &received_head_,
                                       sizeof received_head_);
}

bool TrialValues::is_sending() {
  return std::any_of(children_.begin(), children_.end(),
                     [](Child& child) { return !child.head.is_done() || !child.batch.is_done(); });
}

}  // namespace sheaf
