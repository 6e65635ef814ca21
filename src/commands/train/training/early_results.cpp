// SPDX-License-Identifier: MIT
#include "commands/train/training/early_results.hpp"

#include <type_traits>
#include <utility>

namespace sheaf {
namespace {

constexpr int head_tag = 1;
constexpr int batch_tag = 2;
constexpr double seconds_per_rank = 1e-4;
constexpr int max_batches = 100;  // in one call of service()
static_assert(std::is_trivially_copyable_v<EarlyResult>, "sent as bytes; all machines of a job have the same layout");

std::size_t bytes_of(const std::vector<EarlyResult>& batch) {
  return batch.size() * sizeof(EarlyResult);
}

}  // namespace

EarlyResults::EarlyResults(const Communicator& channel) : channel_(channel), ranks_left_(channel.size() - 1) {
  if (channel.is_root() && ranks_left_ > 0)
    receiving_head_ = Message::receive(channel, Message::any_source, head_tag, &received_head_, sizeof received_head_);
}

void EarlyResults::add(const IterationResult& result) {
  const std::lock_guard lock(mutex_);
  own_.push_back({result.iteration, known_result(result), result.rank, result.lane, result.end_seconds()});
}

void EarlyResults::end() {
  has_ended_ = true;
}

std::vector<EarlyResult> EarlyResults::service() {
  std::vector<EarlyResult> arrived;
  if (channel_.is_root()) {
    arrived = take_own();
    receive(arrived);
  } else {
    send();
  }
  return arrived;
}

bool EarlyResults::is_over() {
  if (channel_.is_root()) {
    const std::lock_guard lock(mutex_);
    return has_ended_ && ranks_left_ == 0 && !receiving_batch_.is_pending() && own_.empty();
  }
  return head_.is_last && sending_head_.is_done() && sending_batch_.is_done();
}

std::vector<EarlyResult> EarlyResults::take_own() {
  const std::lock_guard lock(mutex_);
  return std::exchange(own_, {});
}

void EarlyResults::send() {
  if (head_.is_last || !sending_head_.is_done() || !sending_batch_.is_done()) return;
  const bool is_last = has_ended_;  // read before the results are taken
  const double period = seconds_per_rank * static_cast<double>(channel_.size());
  if (!is_last && seconds_since(sent_at_) < period) return;
  batch_ = take_own();
  if (batch_.empty() && !is_last) return;
  head_ = {static_cast<std::int64_t>(batch_.size()), is_last};
  sent_at_ = Clock::now();
  sending_head_ = Message::send(channel_, 0, head_tag, &head_, sizeof head_);
  if (!batch_.empty()) sending_batch_ = Message::send(channel_, 0, batch_tag, batch_.data(), bytes_of(batch_));
}

void EarlyResults::receive(std::vector<EarlyResult>& arrived) {
  for (int batches = 0; batches < max_batches; ++batches) {
    if (receiving_head_.is_pending()) {
      if (!receiving_head_.is_done()) return;
      received_batch_.resize(static_cast<std::size_t>(received_head_.count));
      if (!received_batch_.empty())
        receiving_batch_ = Message::receive(channel_, receiving_head_.source(), batch_tag, received_batch_.data(),
                                            bytes_of(received_batch_));
      ranks_left_ -= received_head_.is_last ? 1 : 0;
    }
    if (receiving_batch_.is_pending() && !receiving_batch_.is_done()) return;
    arrived.insert(arrived.end(), received_batch_.begin(), received_batch_.end());
    received_batch_.clear();
    if (ranks_left_ == 0) return;
    receiving_head_ = Message::receive(channel_, Message::any_source, head_tag, &received_head_, sizeof received_head_);
  }
}

}  // namespace sheaf
