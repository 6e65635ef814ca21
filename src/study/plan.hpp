// The trials of a study and the iterations of its stages. Each is computed from its number, without a list. Pure: a
// plan depends on the study and its stages, not on ranks or lanes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "study/stage.hpp"
#include "study/study.hpp"
#include "study/trial.hpp"
#include "study/trial_space.hpp"

namespace sheaf {

/// Whether a key changes a trial's network or its precision. Whether an engine supports a trial depends on these keys
/// only. Pure.
bool decides_network(const std::string& key);

/// The trials of a study, and the stages so far. Iterations are numbered consecutively over all stages. Within a stage,
/// the trial varies slowest, then repeat and fold; the member varies fastest.
class Plan {
 public:
  /// A plan without stages. Throws UsageError if repeats times trials exceed 2^32 - 1.
  explicit Plan(const Study& study);

  std::int64_t trial_count() const { return trials_; }
  /// Takes about a microsecond: store the trial if you need it more than once.
  Trial trial(std::int64_t number) const;
  using VisitDistinct = std::function<void(const Trial& trial, double weight)>;
  /// Visits a trial for each distinct choice of candidates for the keys that `selects` accepts, in the order of a grid,
  /// one space of the search after another. All other keys have candidates of one such combination. Both ends of a
  /// range are candidates. The number of trials with a choice is proportional to its weight; a choice may be visited
  /// more than once, with a part of its weight each time. For checks and estimates that depend only on these keys.
  void for_each_distinct(const KeyFilter& selects, const VisitDistinct& visit) const;
  using VisitTrial = std::function<void(const Trial& trial)>;
  /// Visits a trial with each network (decides_network).
  void for_each_network(const VisitTrial& visit) const;
  /// Whether two trials have the same network.
  bool have_same_network(std::int64_t trial, std::int64_t other) const;

  const std::vector<std::string>& searched_keys() const { return searched_keys_; }
  /// All candidates of searched_keys()[key] in all spaces, for a range its ends; and the value of one trial.
  const std::vector<std::string>& candidates(std::size_t key) const { return candidates_[key]; }
  std::string value(std::int64_t trial, std::size_t key) const { return space_.value(trial, key); }
  /// Values that the search has drawn: see TrialSpace. Thread-safe.
  void give(std::int64_t trial, std::vector<std::string> values) { space_.give(trial, std::move(values)); }
  std::vector<std::string> given(std::int64_t trial) const { return space_.given(trial); }
  /// Whether trials have such values.
  bool draws_from_results() const { return space_.draws_from_results(); }
  /// TrialSpace::may_have().
  bool may_have(std::int64_t trial, const std::vector<std::string>& values) const {
    return space_.may_have(trial, values);
  }
  /// TrialSpace::is_start().
  bool is_start(std::int64_t trial) const { return space_.is_start(trial); }
  /// TrialSpace::effects().
  std::vector<bool> effects(const std::vector<std::string>& values) const { return space_.effects(values); }
  /// Combinations::skipped_text() of the last space.
  std::string skipped_text() const { return space_.combinations(space_.space_count() - 1).skipped_text(); }

  /// The spaces of the search: see TrialSpace.
  std::size_t space_count() const { return space_.space_count(); }
  std::size_t space_of(std::int64_t trial) const { return space_.space_of(trial); }
  IndexRange trials_of_space(std::size_t space) const { return space_.trials_of(space); }
  bool space_has(std::size_t space, std::int64_t trial) const { return space_.has(space, trial); }

  /// The numbers of the study. A stage may have fewer.
  std::int64_t repeats() const { return repeats_; }
  std::int64_t folds() const { return folds_; }
  std::int64_t members() const { return members_; }
  /// Whether the study trains its best trials again on all rows (run.refit), in a stage after the search.
  bool wants_refit() const { return wants_refit_; }

  /// Adds the next stage. Throws UsageError if the plan would have more than 2^32 - 1 iterations.
  void add(Stage stage);
  /// Ends a search before its last trial: its only stage and the plan have `trials` trials from now on, at most as many
  /// as before.
  void end_after(std::int64_t trials);
  std::int64_t stage_count() const { return static_cast<std::int64_t>(stages_.size()); }
  const Stage& stage(std::int64_t number) const { return at(number).stage; }
  /// The trials that have begun: those of the stages so far are all below this number.
  std::int64_t begun_trials() const;
  /// The iterations of a stage.
  IndexRange iterations_of(std::int64_t stage) const { return at(stage).iterations; }

  /// Whether the last stage is a refit. No stage follows it.
  bool has_refit() const { return !stages_.empty() && stages_.back().stage.is_refit(); }
  /// The stages of the search, and their iterations: those before the refit.
  std::int64_t search_stages() const { return stage_count() - (has_refit() ? 1 : 0); }
  IndexRange search_iterations() const { return {0, refit_iterations().begin}; }
  /// The iterations of the refit; empty without one.
  IndexRange refit_iterations() const {
    return has_refit() ? stages_.back().iterations : IndexRange{iteration_count(), iteration_count()};
  }

  /// Iterations of all stages so far.
  std::int64_t iteration_count() const { return stages_.empty() ? 0 : stages_.back().iterations.end; }
  Iteration iteration(std::int64_t number) const;
  /// The iterations of a trial of a stage.
  IndexRange iterations_of_trial(std::int64_t stage, std::int64_t trial) const;
  /// The first of the stages whose repeats count together in a stage: itself, or one to which it adds repeats.
  std::int64_t first_stage_of_repeats(std::int64_t stage) const;
  /// The iterations whose results are those of a trial in a stage: of all stages whose repeats count together in it.
  std::vector<IndexRange> fits_of_trial(std::int64_t stage, std::int64_t trial) const;
  /// The number of the iteration with this key; the inverse of `iteration`.
  std::int64_t number_of(const IterationKey& key) const;
  /// The iteration of the last stage that begins or continues a training; nullopt if none does.
  std::optional<std::int64_t> last_iteration_of(const IterationKey& training) const;

 private:
  struct PlannedStage {
    Stage stage;
    IndexRange iterations;
    std::vector<std::int64_t> offsets;  // offsets[i]: trials of the stage before range i
  };
  const PlannedStage& at(std::int64_t stage) const { return stages_[static_cast<std::size_t>(stage)]; }

  std::uint64_t seed_;
  std::int64_t trials_;
  std::int64_t repeats_;
  std::int64_t folds_;
  std::int64_t members_;
  bool wants_refit_;
  std::vector<std::string> searched_keys_;
  std::vector<std::vector<std::string>> candidates_;  // by key
  TrialSpace space_;
  Study base_;  // the template of a trial: only what a trial has is set, to make copies cheap
  std::vector<PlannedStage> stages_;
};

/// Stage 0, with every trial, repeat, fold and member of the study.
Stage whole_stage(const Plan& plan);

/// The stage after those of the plan, which trains trials on all rows. `refits`: at least one, with ascending trials.
Stage refit_stage(const Plan& plan, std::vector<Refit> refits);

}  // namespace sheaf
