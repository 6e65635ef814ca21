// A stage of a search: iterations whose results the searcher needs before it selects the next ones. The refit of the
// best trials is a stage, too.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/index_range.hpp"

namespace sheaf {

/// The training of a trial on all rows: as many optimizer steps as one of its fits took, with the learning rates that
/// this fit had in the same steps.
struct Refit {
  std::int64_t trial = 0;
  std::int64_t epochs = 0;                 ///< of the fit
  std::int64_t epoch_steps = 0;            ///< of the fit: optimizer steps per epoch
  std::vector<std::int64_t> reductions{};  ///< plateau: epochs of the fit after which it reduced the rate, ascending

  std::int64_t steps() const { return epochs * epoch_steps; }
  bool operator==(const Refit& other) const {
    return trial == other.trial && epochs == other.epochs && epoch_steps == other.epoch_steps &&
           reductions == other.reductions;
  }
};

/// Trains each of its trials in some `folds` of some `repeats`, with `members` iterations per fold. A trial keeps its
/// number in all stages. A stage may begin new trials while it continues others; these have lower numbers. Learning
/// rates and other schedules extend over all train.epochs, so that a training in several stages gives the same bits as
/// in one. A search that was extended by more repeats has a stage for them, which continues no training.
struct Stage {
  std::int64_t number = 0;         ///< counts from 0
  std::vector<IndexRange> trials;  ///< ascending; ranges are not empty and not adjacent
  IndexRange repeats = {0, 1};     ///< of the study's; likewise folds
  IndexRange folds = {0, 1};
  std::int64_t members = 1;              ///< of the study's, the first ones
  std::int64_t from_epoch = 0;           ///< completed by an earlier stage, whose trainings are continued
  std::optional<std::int64_t> to_epoch;  ///< the trainings pause after this epoch; nullopt: at the end of train.epochs
  std::optional<std::int64_t> first_new_trial{};  ///< this and later trials begin here, at epoch 0; nullopt: none does
  std::vector<Refit> refits{};                    ///< of each trial, in a stage that trains them on all rows

  /// Whether the stage trains its trials on all rows, for a number of steps. `folds` is then the number after the last
  /// fold of the study, whose split holds out no rows.
  bool is_refit() const { return !refits.empty(); }
  /// The refit of a trial of the stage; nullopt: the stage trains its fits.
  std::optional<Refit> refit_of(std::int64_t trial) const;

  /// Whether the trainings of one of the trials begin in this stage.
  bool begins(std::int64_t trial) const { return from_epoch == 0 || (first_new_trial && trial >= *first_new_trial); }
  /// The epochs that belong to this stage, of a training of `trial` with `epochs` epochs.
  IndexRange epochs_of(std::int64_t trial, std::int64_t epochs) const {
    return {begins(trial) ? 0 : from_epoch, std::min(to_epoch.value_or(epochs), epochs)};
  }
  /// Whether the stage adds repeats to those of the stage before.
  bool adds_repeats() const { return repeats.begin > 0; }
  /// Whether a later stage may continue the trainings.
  bool pauses() const { return to_epoch.has_value(); }

  std::int64_t trial_count() const;
  bool has(std::int64_t trial) const;
  /// Adds trials with higher numbers than all others, perhaps none.
  void append(const IndexRange& more);
  /// Iterations per trial.
  std::int64_t per_trial() const { return repeats.count() * folds.count() * members; }
  std::int64_t iteration_count() const { return trial_count() * per_trial(); }

  bool operator==(const Stage& other) const;
};

/// Converts stages to integers, to send them to other ranks, and back. Pure.
std::vector<std::int64_t> packed(const std::vector<Stage>& stages);
std::vector<Stage> unpacked_stages(const std::vector<std::int64_t>& numbers);

}  // namespace sheaf
