// Selects the epochs after which the validation rows are evaluated. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "study/study.hpp"

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

/// The validation epochs of a study: none without validation rows, all for learning curves and for learning rates that
/// follow the validation loss, otherwise the last.
inline ValidationEpochs validation_epochs(const Study& study) {
  if (study.search.folds <= 1 && study.data.validation.value_or(0) == 0) return {ValidationEpochs::never};
  const auto& keys = study.search.keys;
  const auto is_candidate = [&](std::string_view name) {
    return std::any_of(keys.begin(), keys.end(), [&](const SearchedKey& searched) {
      const auto& candidates = searched.candidates;
      return searched.key == "train.schedule" &&
             std::find(candidates.begin(), candidates.end(), name) != candidates.end();
    });
  };
  const bool follows_losses =
      std::any_of(schedule_table.begin(), schedule_table.end(), [&](const ScheduleRow& schedule) {
        return schedule.follows_losses && (schedule.kind == study.train.schedule || is_candidate(schedule.name));
      });
  return {study.run.curves.value_or(false) || follows_losses ? 1 : ValidationEpochs::last};
}

}  // namespace sheaf
