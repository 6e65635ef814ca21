// The parameters of all layers in one tensor. The optimizers work element by element, so one update of the flat tensor
// is the update of all layers at a fraction of the calls.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace sheaf {

/// Hands out the parts of a flat tensor, front to back, as leaves for autograd.
class FlatParameters {
 public:
  /// `values` [count]. They get gradients of zero.
  explicit FlatParameters(torch::Tensor values) : values_(std::move(values)) {
    values_.mutable_grad() = torch::zeros_like(values_);
  }

  /// The next part: a leaf that sees a piece of the values and of their gradients.
  torch::Tensor next(torch::IntArrayRef sizes) {
    const std::int64_t count = c10::multiply_integers(sizes);
    torch::Tensor leaf = values_.narrow(0, used_, count).view(sizes).detach();
    leaf.set_requires_grad(true);
    leaf.mutable_grad() = values_.grad().narrow(0, used_, count).view(sizes).detach();
    used_ += count;
    return leaf;
  }

  const torch::Tensor& values() const { return values_; }

 private:
  torch::Tensor values_;
  std::int64_t used_ = 0;
};

}  // namespace sheaf
