// Losses of a batch with their gradients, vectorised: a table of functions for the best instruction set of the machine.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "study/study.hpp"

namespace sheaf {

/// What a batch's outputs should be.
template <class Value>
struct BatchTargets {
  const Value* labels = nullptr;   ///< [row_count]; cross_entropy only
  const Value* values = nullptr;   ///< [outputs, row_count]; mse and bce
  const Value* weights = nullptr;  ///< [row_count]; zero in padding
};

/// Arrays begin at cache lines; `row_count` is a multiple of `padding` (core/padding.hpp). Pure but for what they
/// write.
template <class Value>
struct LossKernels {
  /// Adds `bias` (may be null) to outputs [output_count, row_count], and returns the weighted sum of the rows' losses
  /// (for mse and bce of all outputs of a row). gradients = d(scale * sum) / d outputs, and sums[o] = or += their sum
  /// over the rows; both null: not wanted.
  double (*loss)(LossKind kind, const Value* bias, const BatchTargets<Value>& targets, Value scale,
                 std::int64_t output_count, std::int64_t row_count, bool accumulate, Value* outputs, Value* gradients,
                 Value* sums);
};

template <class Value>
LossKernels<Value> loss_kernels();

}  // namespace sheaf
