// What the native engine does with the gradient of a step, between the backward pass and the update.
// SPDX-License-Identifier: MIT
#pragma once

#include "engines/native/kernels/kernels.hpp"
#include "engines/native/layers/parameters.hpp"
#include "study/train_options.hpp"

namespace sheaf {

/// A GradientHook. Adds the gradient of the L1 penalty, train.l1 times the signs of the weights, then limits the norm
/// of the gradient over all parameters to train.clip_norm, or each element to train.clip_value. Source:
/// torch.nn.utils.clip_grad_norm_ and clip_grad_value_.
template <class Value>
class GradientTerms {
 public:
  explicit GradientTerms(const TrainOptions& train) : l1_(train.l1), norm_(train.clip_norm), value_(train.clip_value) {}

  bool is_active() const { return l1_ > 0 || norm_ > 0 || value_ > 0; }

  void operator()(const Parameters<Value>& parameters) const;

 private:
  double l1_, norm_, value_;  // 0: no penalty, no limit
  GradientKernels<Value> kernels_ = gradient_kernels<Value>();
};

}  // namespace sheaf
