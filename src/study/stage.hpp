// A stage of a search: iterations whose results the searcher needs before it selects the next ones.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/index_range.hpp"

namespace sheaf {

/// Trains each of its trials in some `folds`, with `repeats` x `members` iterations per fold. A trial keeps its number
/// in all stages. A stage may begin new trials while it continues others; these have lower numbers. Learning rates and
/// other schedules extend over all train.epochs, so that a training in several stages gives the same bits as in one.
struct Stage {
  std::int64_t number = 0;         ///< counts from 0
  std::vector<IndexRange> trials;  ///< ascending; ranges are not empty and not adjacent
  std::int64_t repeats = 1;        ///< of the study's, the first ones; likewise members
  IndexRange folds = {0, 1};       ///< of the study's
  std::int64_t members = 1;
  std::int64_t from_epoch = 0;           ///< completed by an earlier stage, whose trainings are continued
  std::optional<std::int64_t> to_epoch;  ///< the trainings pause after this epoch; nullopt: at the end of train.epochs
  std::optional<std::int64_t> first_new_trial{};  ///< this and later trials begin here, at epoch 0; nullopt: none does

  /// Whether the trainings of one of the trials begin in this stage.
  bool begins(std::int64_t trial) const { return from_epoch == 0 || (first_new_trial && trial >= *first_new_trial); }
  /// The epochs that belong to this stage, of a training of `trial` with `epochs` epochs.
  IndexRange epochs_of(std::int64_t trial, std::int64_t epochs) const {
    return {begins(trial) ? 0 : from_epoch, std::min(to_epoch.value_or(epochs), epochs)};
  }
  /// Whether a later stage may continue the trainings.
  bool pauses() const { return to_epoch.has_value(); }

  std::int64_t trial_count() const;
  bool has(std::int64_t trial) const;
  /// Adds trials with higher numbers than all others, perhaps none.
  void append(const IndexRange& more);
  /// Iterations per trial.
  std::int64_t per_trial() const { return repeats * folds.count() * members; }
  std::int64_t iteration_count() const { return trial_count() * per_trial(); }

  bool operator==(const Stage& other) const;
};

/// Converts stages to integers, to send them to other ranks, and back. Pure.
std::vector<std::int64_t> packed(const std::vector<Stage>& stages);
std::vector<Stage> unpacked_stages(const std::vector<std::int64_t>& numbers);

}  // namespace sheaf
