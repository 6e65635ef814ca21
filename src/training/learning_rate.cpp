// SPDX-License-Identifier: MIT
#include "training/learning_rate.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "study/key_defaults.hpp"

namespace sheaf {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double least_improvement = 1e-4;  // of the validation loss, relative

}  // namespace

LearningRate::LearningRate(const TrainOptions& train, std::int64_t epoch_steps)
    : initial_(initial_learning_rate(train)),
      schedule_(train.schedule),
      warmup_steps_(std::llround(train.warmup_epochs * static_cast<double>(epoch_steps))),
      all_steps_(train.epochs * epoch_steps),
      plateau_factor_(train.plateau_factor),
      plateau_patience_(train.plateau_patience) {
  warmup_steps_ = std::min(warmup_steps_, all_steps_);
}

double LearningRate::scheduled(std::int64_t step) const {
  if (step < warmup_steps_) return initial_ * static_cast<double>(step + 1) / static_cast<double>(warmup_steps_);
  switch (schedule_) {
    case Schedule::cosine: {
      const double done = static_cast<double>(step - warmup_steps_) /
                          static_cast<double>(std::max<std::int64_t>(all_steps_ - warmup_steps_, 1));
      return initial_ * (1 + std::cos(pi * done)) / 2;
    }
    case Schedule::plateau:
      return initial_ * factor_;
    case Schedule::constant:
      break;
  }
  return initial_;
}

void LearningRate::validated(double loss) {
  if (schedule_ != Schedule::plateau) return;
  if (loss < best_loss_ * (1 - least_improvement)) {
    best_loss_ = loss;
    bad_epochs_ = 0;
  } else if (++bad_epochs_ > plateau_patience_) {
    factor_ *= plateau_factor_;
    bad_epochs_ = 0;
  }
}

void LearningRate::save(ByteWriter& state) const {
  state.put(factor_);
  state.put(best_loss_);
  state.put(bad_epochs_);
}

void LearningRate::restore(ByteReader& state) {
  const auto factor = state.get<double>(), best_loss = state.get<double>();
  const auto bad_epochs = state.get<std::int64_t>();
  require(factor > 0 && factor <= 1 && !std::isnan(best_loss) && bad_epochs >= 0 && bad_epochs <= plateau_patience_,
          "its learning rate does not match this training");
  factor_ = factor;
  best_loss_ = best_loss;
  bad_epochs_ = bad_epochs;
}

}  // namespace sheaf
