// The part of an iteration's result that decides a search.
// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include "training/iteration_result.hpp"

namespace sheaf {

/// Missing values are NaN.
struct KnownResult {
  IterationStatus status = IterationStatus::missing;  ///< in a complete stage of several: finished or diverged
  double final_loss = std::numeric_limits<double>::quiet_NaN();
  double validation_loss = std::numeric_limits<double>::quiet_NaN();
  double validation_score = std::numeric_limits<double>::quiet_NaN();  ///< of the single member, not the ensemble
};

inline KnownResult known_result(const IterationResult& result) {
  return {result.status, result.final_loss, result.validation_loss, result.validation_score};
}

}  // namespace sheaf
