// SPDX-License-Identifier: MIT
#include "training/loss_log.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/clock.hpp"
#include "core/text.hpp"
#include "training/losses/reduction.hpp"

namespace sheaf {
namespace {

constexpr double period_seconds = 60;

// A step of a small network takes microseconds: without limit the clock would be a part of its time.
constexpr std::int64_t steps_between_clocks = 64;

}  // namespace

LossLog::LossLog(std::int64_t every, Write write, double first_seconds)
    : every_(every), write_(std::move(write)), first_seconds_(first_seconds) {}

bool LossLog::is_time(double seconds) {
  double next = next_seconds_;
  if (next < 0) next_seconds_.compare_exchange_strong(next, seconds + first_seconds_);
  if (next < 0 || seconds < next) return false;
  return next_seconds_.compare_exchange_strong(next, seconds + period_seconds);
}

LossLines::LossLines(LossLog* log, std::int64_t iteration, std::int64_t rows, std::int64_t batch_size)
    : log_(log), iteration_(iteration), rows_(rows), batch_size_(batch_size) {}

bool LossLines::is_due(const TrainingLoop& loop, std::int64_t batches) {
  const std::int64_t steps = loop.steps() + batches;
  if (log_->every() > 0) return steps % log_->every() == 0;
  if (loop.has_one_batch() && steps % steps_between_clocks != 0) return false;
  now_ = seconds_between({}, Clock::now());
  if (begin_seconds_ < 0) {
    begin_seconds_ = now_;
    begin_steps_ = steps;
  }
  return log_->is_time(now_);
}

std::string LossLines::time_left(const TrainingLoop& loop, std::int64_t batches) const {
  const auto done = static_cast<double>(loop.steps() + batches - begin_steps_);
  if (done <= 0) return "";
  const auto left = static_cast<double>(loop.steps_left() - batches);
  return fmt::format(", {} left", human_seconds((now_ - begin_seconds_) / done * left));
}

void LossLines::note(const TrainingLoop& loop, std::int64_t batches, double loss_sum) {
  if (epoch_ != loop.epochs()) {
    batches_ = epoch_ < 0 ? loop.batches() : 0;  // a training that continues from a checkpoint begins in an epoch
    loss_sum_ = epoch_ < 0 ? loop.loss_sum() : 0;
    epoch_ = loop.epochs();
  }
  if (!is_due(loop, batches)) return;
  const std::int64_t done = loop.batches() + batches;
  const std::int64_t rows = std::min(done * batch_size_, rows_) - batches_ * batch_size_;
  const bool has_times = log_->every() == 0;
  log_->write(fmt::format("iteration {}, epoch {}{}, batch {}: loss {:.4g}{}", iteration_, epoch_,
                          has_times ? fmt::format(" of {}", loop.end_epoch()) : "", done,
                          mean_loss(loss_sum - loss_sum_, rows), has_times ? time_left(loop, batches) : ""));
  batches_ = done;
  loss_sum_ = loss_sum;
}

}  // namespace sheaf
