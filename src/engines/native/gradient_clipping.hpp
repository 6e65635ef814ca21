// Gradient clipping in the native engine, between the backward pass and the update.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "engines/native/kernels/kernels.hpp"
#include "study/train_options.hpp"

namespace sheaf {

/// Limits the norm of a gradient over all parameters to `train.clip_norm`, or each element to `train.clip_value`.
/// Source: torch.nn.utils.clip_grad_norm_ and clip_grad_value_.
template <class Value>
class GradientClipping {
 public:
  explicit GradientClipping(const TrainOptions& train) : norm_(train.clip_norm), value_(train.clip_value) {}

  bool is_active() const { return norm_ > 0 || value_ > 0; }

  /// Clips a gradient with `count` elements (a multiple of `padding`), of which those in padding are zero.
  void operator()(Value* gradient, std::int64_t count) const;

 private:
  double norm_, value_;  // 0: no limit
  GradientKernels<Value> kernels_ = gradient_kernels<Value>();
};

}  // namespace sheaf
