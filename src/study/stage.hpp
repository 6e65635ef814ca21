// A stage of a search: iterations that are trained before the searcher is asked again.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/index_range.hpp"

namespace sheaf {

/// Each of some trials, `repeats` x `folds` x `members` times. Trials keep their numbers in all stages.
struct Stage {
  std::int64_t number = 0;         ///< counts from 0
  std::vector<IndexRange> trials;  ///< ascending, none empty, none next to another
  std::int64_t repeats = 1;        ///< the first ones of the study's, as folds and members
  std::int64_t folds = 1;
  std::int64_t members = 1;
  std::optional<std::int64_t> epochs;  ///< instead of the trials' own

  std::int64_t trial_count() const;
  /// Iterations of each trial.
  std::int64_t per_trial() const { return repeats * folds * members; }
  std::int64_t iteration_count() const { return trial_count() * per_trial(); }

  bool operator==(const Stage& other) const;
};

/// Stages as numbers, to send them to other ranks, and back. Pure.
std::vector<std::int64_t> packed(const std::vector<Stage>& stages);
std::vector<Stage> unpacked_stages(const std::vector<std::int64_t>& numbers);

}  // namespace sheaf
