// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace sheaf {

/// Computes the outputs of a trained model. Each lane creates its own predictor and uses it in its thread.
class Predictor {
 public:
  virtual ~Predictor() = default;
  /// Computes outputs [count, outputs] (values or logits) from features [count, ...], both row-major. Offsets of the
  /// model's columns have been subtracted from the features; outputs are without offsets of targets, and without
  /// OpenedModel::output_offsets. Returns false if a feature may not be finite, such as an empty cell. Throws RunError
  /// if the model fails.
  [[nodiscard]] virtual bool predict(const float* features, std::int64_t count, float* outputs) = 0;
};

}  // namespace sheaf
