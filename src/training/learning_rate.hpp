// The learning rate of each optimizer step. To add a schedule, add a case to learning_rate.cpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/bytes.hpp"
#include "study/train_options.hpp"

namespace sheaf {

/// The learning rates of one training: a warm-up, then the schedule over the remaining steps. All but `plateau` are
/// functions of the step alone. Steps count from 0 at the start of the training, the epochs of `step` and `exponential`
/// from the end of the warm-up. Sources: PyTorch's StepLR, ExponentialLR and OneCycleLR (cosine annealing, pct_start
/// 0.3, div_factor 25, final_div_factor 1e4); coslog4 of RealMLP (Holzmueller et al. 2024, Better by Default).
class LearningRate {
 public:
  /// `epoch_steps`: optimizer steps of an epoch. The schedule ends with the last of `train.epochs` epochs.
  /// `reductions`: of `plateau`, if they are known: epochs after which the rate is reduced, ascending.
  LearningRate(const TrainOptions& train, std::int64_t epoch_steps, const std::vector<std::int64_t>& reductions = {});

  /// The learning rate of a step.
  double operator()(std::int64_t step) const {
    return train_.schedule == Schedule::constant && step >= warmup_steps_ ? initial_ : scheduled(step);
  }

  /// Reports the validation loss after an epoch, which counts from 0, for `plateau`: the rate is multiplied by
  /// `train.plateau_factor` when more than `train.plateau_patience` epochs have brought no relative improvement of
  /// 1e-4. Losses that are not finite are no improvement. Source: PyTorch's ReduceLROnPlateau with its defaults.
  void validated(std::int64_t epoch, double loss);

  /// The epochs after which the rate is reduced, ascending; empty for other schedules than `plateau`.
  const std::vector<std::int64_t>& reductions() const { return reductions_; }

  void save(ByteWriter& state) const;
  /// Throws RunError or std::out_of_range if the state cannot be one of this training.
  void restore(ByteReader& state);

 private:
  double scheduled(std::int64_t step) const;
  double plateau_factor(std::int64_t step) const;
  void reduce_after(std::int64_t epoch);

  TrainOptions train_;
  double initial_;
  std::int64_t epoch_steps_, warmup_steps_, all_steps_;
  // plateau: the reductions and the factors of the rate after them; the best loss, and the epochs since then without
  // an improvement.
  std::vector<std::int64_t> reductions_;
  std::vector<double> factors_;
  double best_loss_ = std::numeric_limits<double>::infinity();
  std::int64_t bad_epochs_ = 0;
};

}  // namespace sheaf
