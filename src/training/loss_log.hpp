// Lines with the loss of the running epoch: "iteration 3, epoch 2, batch 40: loss 0.1234" (run.log_every), or with the
// time that is left: "iteration 3, epoch 2 of 50, batch 40: loss 0.1234, 3 min left".
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "training/training_loop.hpp"

namespace sheaf {

/// Decides when the lanes of a rank write lines: after every N batches of each iteration, or after ten seconds and then
/// once per minute in all.
/// Thread-safe.
class LossLog {
 public:
  using Write = std::function<void(const std::string& line)>;

  /// `every`: batches of an iteration between its lines; 0: a line after `first_seconds` and then per minute of
  /// all iterations together. `write` is called by lanes, concurrently.
  LossLog(std::int64_t every, Write write, double first_seconds = 10);

  std::int64_t every() const { return every_; }
  /// Whether a minute has passed since the last true answer, or `first_seconds` since the first call. `seconds`: since
  /// any fixed time.
  bool is_time(double seconds);
  void write(const std::string& line) const { write_(line); }

 private:
  const std::int64_t every_;
  const Write write_;
  const double first_seconds_;
  std::atomic<double> next_seconds_{-1};  // negative: not asked yet
};

/// The lines of one iteration. Without a log, it does nothing and reads no clock.
class LossLines {
 public:
  /// `log` may be null. `rows`: in an epoch.
  LossLines(LossLog* log, std::int64_t iteration, std::int64_t rows, std::int64_t batch_size);

  /// The batches that can be trained before a line is due, at most `batches`.
  std::int64_t batches_to_line(const TrainingLoop& loop, std::int64_t batches) const {
    if (log_ == nullptr || log_->every() == 0) return batches;
    return std::min(batches, log_->every() - loop.steps() % log_->every());
  }

  /// Writes a line if it is due. Call it after training `batches` batches, before `loop` gets them with the epoch's
  /// `loss_sum`. The loss is the mean over the rows since the last line of the epoch.
  void trained(const TrainingLoop& loop, std::int64_t batches, double loss_sum) {
    if (log_ != nullptr) note(loop, batches, loss_sum);
  }

 private:
  bool is_due(const TrainingLoop& loop, std::int64_t batches);
  // ", 3.2 min left", by the steps of this object; empty before the second line.
  std::string time_left(const TrainingLoop& loop, std::int64_t batches) const;
  void note(const TrainingLoop& loop, std::int64_t batches, double loss_sum);

  LossLog* const log_;
  const std::int64_t iteration_, rows_, batch_size_;
  // The last line, or where this object began to train.
  std::int64_t epoch_ = -1, batches_ = 0;
  double loss_sum_ = 0;
  // The steps and the time of the first call, in seconds since any fixed time; and the current time.
  std::int64_t begin_steps_ = 0;
  double begin_seconds_ = -1, now_ = 0;
};

}  // namespace sheaf
