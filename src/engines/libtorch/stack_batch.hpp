// One batch of every slot of a stack, as tensors on its device.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace sheaf {

/// The numbers of a step that differ between slots.
enum class StackNumber {
  // of the optimizer: UpdateRule
  rate,
  corrected_rate,
  gradient_rate,
  root_scale,
  weight_decay,
  shrink,
  momentum,
  velocity_weight,  ///< sgd: the direction of the step is velocity_weight * velocity + gradient_weight * gradient
  gradient_weight,
  beta1,
  beta1_rest,  ///< 1 - beta1
  beta2,
  beta2_rest,
  alpha,
  alpha_rest,
  epsilon,
  // of the gradient
  gradient_scale,  ///< batch_factor()
  smoothing,       ///< of labels
  l1,
  clip_norm,
  clip_value,
  average_share,  ///< of the parameters in their averages
  // of the rows
  row_count,   ///< without padding; 0: the slot is idle and does not change
  row_share,   ///< 1 / row_count
  unbiased,    ///< the factor of a variance of these rows
  norm_share,  ///< of the batch in the running statistics
  keep_scale,  ///< 1 / (1 - dropout rate)
  count
};

/// `slots` and `rows` are the same in all batches of a stack. The rows of a slot are padded to a multiple of
/// `stack_padding`: otherwise the last values of a slot may be computed by other instructions, which round functions
/// such as exp differently, than those of a neighbour. Padding repeats a row of the same batch, with a weight of 0, so
/// that it is not finite only if that row is not.
struct StackBatch {
  torch::Tensor rows;                ///< [slots, rows] int64: numbers of rows of the data set
  torch::Tensor weights;             ///< [slots, rows] float64: factors of the losses of rows
  torch::Tensor numbers;             ///< [slots, StackNumber::count] float64
  std::vector<torch::Tensor> masks;  ///< of each layer that drops values: [slots, rows, outputs] uint8, 0 or 1

  /// [slots, 1]
  torch::Tensor number(StackNumber which) const { return numbers.narrow(1, static_cast<std::int64_t>(which), 1); }
  /// [slots, 1, 1], for values of rows.
  torch::Tensor row_number(StackNumber which) const { return number(which).unsqueeze(2); }
};

}  // namespace sheaf
