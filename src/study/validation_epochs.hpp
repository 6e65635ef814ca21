// Selects the epochs after which the validation rows are evaluated. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>

#include "study/settled_study.hpp"

namespace sheaf {

/// Validates after every `every` epochs and after the last one; never if `every` is 0.
struct ValidationEpochs {
  static constexpr std::int64_t never = 0;
  static constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();  ///< only after the last epoch

  std::int64_t every = never;

  bool any() const { return every != never; }
  /// Whether a validation follows after `done` of `epochs` epochs.
  bool follows(std::int64_t done, std::int64_t epochs) const { return any() && (done == epochs || done % every == 0); }
};

/// Whether a training with these options needs a validation after each epoch.
inline bool follows_validations(const TrainOptions& train) {
  return schedule_of(train.schedule).follows_losses || train.patience.value_or(0) > 0 ||
         train.best_weights.value_or(false);
}

/// Whether a study has validation rows.
bool validates(const Study& study);

/// The validation epochs of a study: none without validation rows; all for learning curves, and if trainings follow the
/// validation loss; otherwise the last.
ValidationEpochs validation_epochs(const SettledStudy& study);

}  // namespace sheaf
