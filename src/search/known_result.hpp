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
  float seconds = 0;                                                   ///< of the training
  float seconds_to_best = 0;                                           ///< the part up to its best epoch
};

inline KnownResult known_result(const IterationResult& result) {
  const double part = result.best_epoch < 0 || result.epochs < 1
                          ? 1
                          : static_cast<double>(result.best_epoch + 1) / static_cast<double>(result.epochs);
  return {result.status,
          result.final_loss,
          result.validation_loss,
          result.validation_score,
          static_cast<float>(result.seconds),
          static_cast<float>(part * result.seconds)};
}

}  // namespace sheaf
