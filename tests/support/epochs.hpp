// Lets a test train single epochs, or parts of them, on data in memory, as an engine does.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "support/plain_study.hpp"
#include "training/batches.hpp"
#include "training/epoch_rows.hpp"
#include "training/trainer.hpp"
#include "training/training_loop.hpp"

namespace sheaf::test {

class Epochs {
 public:
  /// Starts `trainer` on the task, with no limit on the number of epochs. `rate` replaces the trial's learning rate.
  Epochs(Trainer& trainer, const TrainingTask& task, const std::optional<LearningRate>& rate = std::nullopt)
      : trainer_(trainer),
        task_(task),
        train_(endless(task.trial.train)),
        order_(task_.rows, train_, task_.trial.model, task_.seed),
        loop_(train_, task_.rows.count(), {}, false),
        rate_(rate.value_or(loop_.rate())) {
    task_.repeats_one_batch = order_.repeat_one_batch();
    trainer_.start(task_);
  }

  /// Trains up to `max_batches` batches of the epoch. Returns the epoch's loss when it is complete. Returns NaN once
  /// the training has diverged.
  std::optional<double> train(std::int64_t max_batches) {
    if (loop_.next() == TrainingLoop::Next::end) return std::numeric_limits<double>::quiet_NaN();
    const std::int64_t batch = batch_rows(train_, task_.rows.count()), first = loop_.batches() * batch;
    const std::int64_t batches = std::min(max_batches, loop_.batches_left());
    double sum = loop_.loss_sum();
    trainer_.train(
        {order_.of(loop_.epochs()) + first, std::min(batches * batch, task_.rows.count() - first), loop_.steps()},
        rate_, sum);
    loop_.trained(batches, sum);
    if (loop_.batches() > 0) return std::nullopt;
    return sum / static_cast<double>(task_.rows.count());
  }

  /// Trains the rest of the epoch and returns its loss.
  double train_epoch() { return train(std::numeric_limits<std::int64_t>::max()).value(); }

  /// Returns the loss of `rows` and stores their outputs.
  double evaluate(const std::vector<std::int64_t>& rows, std::vector<float>& outputs) {
    outputs.clear();
    const auto count = static_cast<std::int64_t>(rows.size());
    const double sum = trainer_.evaluate(rows.data(), count, outputs, [] { return false; }).value();
    return sum / static_cast<double>(count);
  }

  std::int64_t steps() const { return loop_.steps(); }

  void save(ByteWriter& state) const {
    loop_.save(state);
    trainer_.save(state);
  }
  void restore(ByteReader& state) {
    loop_.restore(state);
    trainer_.restore(state);
  }

 private:
  static TrainOptions endless(TrainOptions train) {
    train.epochs = std::int64_t{1} << 30;
    return train;
  }

  Trainer& trainer_;
  TrainingTask task_;
  const TrainOptions train_ = test::plain_training();
  EpochRows order_;
  TrainingLoop loop_;
  const LearningRate rate_;
};

}  // namespace sheaf::test
