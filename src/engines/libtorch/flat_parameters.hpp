// The parameters of all layers in one tensor. The optimizers work element by element, so that one update of the flat
// tensor updates all layers, with few calls.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "core/index_range.hpp"

namespace sheaf {

/// Provides consecutive parts of a flat tensor as leaf tensors for autograd.
class FlatParameters {
 public:
  /// `values`: [count]. Their gradients are set to zero.
  explicit FlatParameters(torch::Tensor values) : values_(std::move(values)) {
    values_.mutable_grad() = torch::zeros_like(values_);
  }

  /// The next part, as a leaf tensor that is a view of the values and of their gradients.
  torch::Tensor next(torch::IntArrayRef sizes) {
    const std::int64_t count = c10::multiply_integers(sizes);
    torch::Tensor leaf = values_.narrow(0, used_, count).view(sizes).detach();
    leaf.set_requires_grad(true);
    leaf.mutable_grad() = values_.grad().narrow(0, used_, count).view(sizes).detach();
    if (sizes.size() > 1) weights_.push_back({used_, used_ + count});
    used_ += count;
    return leaf;
  }

  const torch::Tensor& values() const { return values_; }

  /// The places of the parts with more than one dimension: biases and the parameters of norms have one.
  const std::vector<IndexRange>& weights() const { return weights_; }

 private:
  torch::Tensor values_;
  std::int64_t used_ = 0;
  std::vector<IndexRange> weights_;
};

}  // namespace sheaf
