// The rule for all losses. Reported losses (of training, validation and evaluation) are always means over rows;
// `train.reduction` decides only the loss whose gradient the optimizer follows. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "study/losses.hpp"
#include "study/train_options.hpp"

namespace sheaf {

/// The number of terms in the loss of one row, which is their mean.
inline double terms_per_row(LossKind loss, std::int64_t output_count) {
  return loss_of(loss).is_per_output() ? static_cast<double>(output_count) : 1;
}

/// The reported loss of `rows` rows (at least one) whose losses sum to `loss_sum`.
inline double mean_loss(double loss_sum, std::int64_t rows) {
  return loss_sum / static_cast<double>(rows);
}

/// The loss that is minimized on a batch of `rows` rows is this factor times the sum of all terms.
inline double batch_factor(const TrainOptions& train, std::int64_t output_count, std::int64_t rows) {
  if (train.reduction == Reduction::sum) return 1;
  return 1 / terms_per_row(train.loss, output_count) / static_cast<double>(rows);
}

/// The sum of the losses of the `rows` rows of a batch is this factor times the loss that is minimized.
inline double loss_sum_factor(const TrainOptions& train, std::int64_t output_count, std::int64_t rows) {
  return train.reduction == Reduction::sum ? 1 / terms_per_row(train.loss, output_count) : static_cast<double>(rows);
}

}  // namespace sheaf
