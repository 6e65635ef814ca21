// Vectorized losses of a batch and their gradients: a table of functions for the best instruction set of the machine.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "study/losses.hpp"

namespace sheaf {

/// The targets of a batch.
template <class Value>
struct BatchTargets {
  const Value* labels = nullptr;   ///< [row_count]; for LossTargets::labels
  const Value* values = nullptr;   ///< [outputs, row_count]; for LossTargets::values
  const Value* weights = nullptr;  ///< [row_count]; zero in padding
  double smoothing = 0;  ///< for LossTargets::labels: the share of a target that all classes have in equal parts
};

/// Arrays are aligned to cache lines; `row_count` is a multiple of `padding` (core/padding.hpp). The functions are pure
/// except for the arrays that they write.
template <class Value>
struct LossKernels {
  /// Adds `bias` (may be null) to outputs [output_count, row_count]. Returns the weighted sum of the losses of all rows
  /// (unless targets are labels, also over the outputs). Sets gradients = d(scale * sum) / d outputs. Sets sums[o] to
  /// the sum of the gradients over the rows, or adds to it if `accumulate`. `gradients` and `sums` may both be null.
  double (*loss)(const LossFunction& loss, const Value* bias, const BatchTargets<Value>& targets, Value scale,
                 std::int64_t output_count, std::int64_t row_count, bool accumulate, Value* outputs, Value* gradients,
                 Value* sums);
};

template <class Value>
LossKernels<Value> loss_kernels();

}  // namespace sheaf
