// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "engines/native/kernels/product.hpp"

namespace sheaf {

/// The products of a dense layer for one block of inputs; by rows, also for one block of outputs. Weight gradients are
/// computed in groups of outputs (by rows: inputs) that are used while they are in the first-level cache.
template <class Value>
struct BlockProducts {
  Product<Value> forward;
  Product<Value> input_gradient;
  Product<Value> weight_gradient, last_weight_gradient;            // for a group, and for the last group
  Product<Value> more_weight_gradient, more_last_weight_gradient;  // the same, but added to the sums

  const Product<Value>& weight_gradient_of(bool last, bool accumulate) const {
    if (accumulate) return last ? more_last_weight_gradient : more_weight_gradient;
    return last ? last_weight_gradient : weight_gradient;
  }

  /// Sets the products of weight gradients for `count` outputs or inputs in groups of `group`. make(size, accumulate)
  /// makes a product.
  template <class Make>
  void set_weight_gradients(std::int64_t count, std::int64_t group, const Make& make) {
    const std::int64_t last_group = count - (count - 1) / group * group;
    weight_gradient = make(group, false);
    last_weight_gradient = make(last_group, false);
    more_weight_gradient = make(group, true);
    more_last_weight_gradient = make(last_group, true);
  }
};

}  // namespace sheaf
