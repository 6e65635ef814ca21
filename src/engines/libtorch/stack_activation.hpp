// The table of activations of stacks, with their derivatives.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

#include "study/activations.hpp"

namespace sheaf {

struct StackActivationRow {
  Activation kind;
  torch::Tensor (*forward)(const torch::Tensor& values);
  /// The gradient of `values`, for that of `outputs`.
  torch::Tensor (*backward)(const torch::Tensor& gradient, const torch::Tensor& values, const torch::Tensor& outputs);
};

const StackActivationRow& stack_activation_of(Activation kind);

}  // namespace sheaf
