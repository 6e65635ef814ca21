// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace sheaf {

/// One a lane, made and used in its thread.
class Predictor {
 public:
  virtual ~Predictor() = default;
  /// Outputs [count, outputs] (plain values or logits) for features [count, ...], both row-major. False: a feature may
  /// be not finite. Throws RunError when the model fails on them.
  [[nodiscard]] virtual bool predict(const float* features, std::int64_t count, float* outputs) = 0;
};

}  // namespace sheaf
