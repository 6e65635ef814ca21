// A study's trials and the iterations of its stages, each computed from its number: nobody keeps a list of them. A pure
// function of the study and its stages: it never depends on ranks or lanes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "study/combinations.hpp"
#include "study/stage.hpp"
#include "study/study.hpp"
#include "study/trial.hpp"

namespace sheaf {

/// Whether a key decides which network a trial has or the precision of its arithmetic: all that an engine must know to
/// accept it. Pure.
bool decides_network(const std::string& key);

/// The trials of a study, and the stages that are known so far. Iterations are numbered through all stages: within a
/// stage the trial is the slowest, then repeat and fold, and the member the fastest.
class Plan {
 public:
  /// Without stages. Throws UsageError when there are more than 2^32 - 1 trials.
  explicit Plan(const Study& study);

  std::int64_t trial_count() const { return combinations_.count(); }
  /// In about a microsecond: whoever needs a trial more than once keeps it.
  Trial trial(std::int64_t number) const;
  /// The trial of an iteration, with the epochs of its stage.
  Trial trial_of(const IterationKey& iteration) const;
  using VisitTrial = std::function<void(std::int64_t number, const Trial& trial)>;
  /// Visits, in ascending order, the first trial with each choice of candidates for the keys that `counts` selects: for
  /// checks that depend on these keys alone.
  void for_each_distinct(const KeyFilter& counts, const VisitTrial& visit) const;
  /// The same for each network (decides_network).
  void for_each_network(const VisitTrial& visit) const { for_each_distinct(decides_network, visit); }
  /// The trial of for_each_network() that has the same network.
  std::int64_t first_of_network(std::int64_t trial) const { return combinations_.first_alike(trial, decides_network); }

  const std::vector<std::string>& searched_keys() const { return searched_keys_; }
  /// The candidates of searched_keys()[key], and the one that a trial has.
  const std::vector<std::string>& candidates(std::size_t key) const { return combinations_.candidates(key); }
  const std::string& value(std::int64_t trial, std::size_t key) const { return combinations_.value(trial, key); }

  /// Of the study. A stage may have fewer.
  std::int64_t repeats() const { return repeats_; }
  std::int64_t folds() const { return folds_; }
  std::int64_t members() const { return members_; }

  /// Adds the next stage. Throws UsageError when there would be more than 2^32 - 1 iterations.
  void add(Stage stage);
  std::int64_t stage_count() const { return static_cast<std::int64_t>(stages_.size()); }
  const Stage& stage(std::int64_t number) const { return at(number).stage; }
  /// The iterations of a stage.
  IndexRange iterations_of(std::int64_t stage) const { return at(stage).iterations; }

  /// Of all stages so far.
  std::int64_t iteration_count() const { return stages_.empty() ? 0 : stages_.back().iterations.end; }
  Iteration iteration(std::int64_t number) const;
  /// The number of the iteration that has this key; the inverse of `iteration`.
  std::int64_t number_of(const IterationKey& key) const;

 private:
  struct PlannedStage {
    Stage stage;
    IndexRange iterations;
    std::vector<std::int64_t> places;  // in the stage, of the first trial of each range
  };
  const PlannedStage& at(std::int64_t stage) const { return stages_[static_cast<std::size_t>(stage)]; }

  std::uint64_t seed_;
  std::int64_t repeats_;
  std::int64_t folds_;
  std::int64_t members_;
  std::vector<std::string> searched_keys_;
  Combinations combinations_;
  Study base_;  // the study's model and training, nothing else: it is copied for each trial
  std::vector<PlannedStage> stages_;
};

/// Stage 0 with every trial, repeat, fold and member of the study.
Stage whole_stage(const Plan& plan);

}  // namespace sheaf
