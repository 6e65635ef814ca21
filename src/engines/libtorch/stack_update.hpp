// The end of a step of a stack: what is done with the gradients, and the optimizers' rules.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

#include "engines/libtorch/stack_batch.hpp"
#include "study/optimizers.hpp"
#include "training/stack_shape.hpp"

namespace sheaf {

/// The trained values of all slots, [slots, stride] (StackLayout). Undefined: not needed.
struct StackState {
  torch::Tensor parameters, gradients, buffers;
  torch::Tensor first, second;  ///< of the optimizer: the mean of the gradients or the velocity; the mean of squares
  torch::Tensor averages;       ///< of the parameters
  torch::Tensor is_weight;      ///< [stride]: 1 for weights, 0 for biases and the parameters of norms
};

/// Adds the gradients of the L1 penalties, then limits the gradients, and sets those of idle slots to 0.
void limit_gradients(const StackShape& shape, const StackBatch& batch, StackState& state);

/// Updates the parameters and the state of the optimizer, then the averages. Changes the gradients. `shape.optimizer`:
/// adam stands for adamw, too.
void update_parameters(const StackShape& shape, const StackBatch& batch, StackState& state);

/// Whether the optimizer has StackState::first and StackState::second.
bool has_second_moment(OptimizerKind kind);

}  // namespace sheaf
