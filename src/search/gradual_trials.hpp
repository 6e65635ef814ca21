// Trials that begin one after another, because what they train depends on the results of earlier trials. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/index_range.hpp"
#include "search/known_result.hpp"
#include "search/ranking.hpp"
#include "search/refit_time.hpp"
#include "search/trial_sampler.hpp"
#include "study/plan.hpp"
#include "study/search_options.hpp"

namespace sheaf {

struct Study;

/// The rules by which trials begin, go on and end.
struct GradualRules {
  /// A trial begins when all trials have ended that are at least `batch` before it. Its values and all decisions about
  /// it depend on these only, so they are the same for any number of ranks and lanes.
  std::int64_t batch = 1;
  Racing racing = Racing::none;
  std::vector<std::int64_t> race_order{};  ///< with racing: the order of fits; fit = repeat * folds + fold
  std::optional<double> least_cost{};      ///< least_cost() of the study, for Racing::certain
  std::optional<std::int64_t> patience{};  ///< SearchOptions::patience
  std::int64_t time = 0;                   ///< SearchOptions::time; the caller ends the search
  bool refits = false;                     ///< RunOptions::refit
  Ranking ranking{};
};

/// The rules of a study.
GradualRules gradual_rules(const Study& study);

/// Releases the iterations of a study's trials in the order in which they may be trained. Trials have numbers 0, 1, ...
/// of the plan's only stage. Decisions do not depend on the order in which results arrive. Those about trials of a
/// space (TrialSpace) depend only on trials whose values are in the space.
///
/// Racing trains the folds of a trial one after another, in the same random order for all trials, and prunes the rest
/// as soon as the trial has lost against the best complete trial among those that are at least `batch` before it:
/// forgiving (Bergman, Purucker and Hutter, AutoML 2024): the mean of its fits is not better than the worst fit of the
/// best trial; certain: the mean would be worse even if all other fits had the best value of the metric.
///
/// Memory is proportional to the trials that have begun and not ended, at most `batch`, apart from the sampler and from
/// results that are added before their iterations are released.
class GradualTrials {
 public:
  /// `plan`: with its only stage; gets the values of drawn trials. It outlives the object. `sampler`: draws the trials
  /// whose values the plan does not have; null if it has all.
  GradualTrials(Plan& plan, GradualRules rules, std::unique_ptr<TrialSampler> sampler);
  ~GradualTrials();

  /// Adds the result of an iteration. A second one is ignored. Failed iterations count as results. Results of earlier
  /// attempts may be added before their iterations are released, also those of iterations that were pruned.
  void add(std::int64_t iteration, const KnownResult& result);

  /// Ends trials, and begins those that may begin and already have results. Called after results were added.
  void go_on();
  /// Releases iterations, at most `most`: in ascending ranges, without those that have results, each once. Those of the
  /// first trials come first. Trials begin as late as possible; that does not change their values. With
  /// `of_first_trial`, only iterations of the first trial that has not ended.
  std::vector<IndexRange> release(std::int64_t most, bool of_first_trial = false);
  /// The iterations that have been pruned since the last call, without those that were added as pruned.
  std::vector<IndexRange> take_pruned();

  const GradualRules& rules() const { return rules_; }
  /// The trials that have begun, 0..begun()-1.
  std::int64_t begun() const { return begun_; }
  /// Whether all of them have ended, and no more trials will begin. Valid after go_on() or release().
  bool is_over() const;
  /// Whether a trial has been trained in all its fits.
  bool has_complete_trial() const { return has_complete_trial_; }
  /// With patience: the trial of the last space that has used it up, and the best trial before it.
  const std::optional<std::int64_t>& stopped_after() const { return stopped_after_; }
  std::int64_t best() const { return best_; }
  /// How long the refit is expected to take.
  const RefitTime& refit_time() const { return refit_time_; }
  /// The trials up to the last one with a result.
  std::int64_t trials_with_results() const { return trials_with_results_; }
  /// The iterations without a result of the trials that have begun and not ended, in ascending ranges.
  std::vector<IndexRange> unfinished() const;

 private:
  struct Fit;
  struct OpenTrial;
  struct Incumbent;
  struct EndedTrial {
    TrialOutcome outcome;
    double worst_fit;  // Incumbent::worst_fit
  };

  bool may_begin() const;
  bool has_early_results() const;
  void begin_trial();
  void go_on_with(OpenTrial& trial);
  void release_fit(OpenTrial& trial, std::int64_t fit, std::int64_t first_iteration);
  bool has_lost(const OpenTrial& trial) const;
  void end_trial(OpenTrial& trial, const IndexRange& iterations);
  void end_trials();

  Plan& plan_;
  const GradualRules rules_;
  const std::unique_ptr<TrialSampler> sampler_;
  const std::int64_t fits_;                 // of each trial
  std::int64_t begun_ = 0;                  // trials
  std::int64_t ended_ = 0;                  // trials 0..ended_-1 have ended
  std::map<std::int64_t, OpenTrial> open_;  // trials ended_..begun_-1
  std::map<std::int64_t, KnownResult> early_;
  std::map<std::int64_t, std::int64_t> waiting_;  // iterations to release: ends of ranges by their beginnings
  std::int64_t waiting_count_ = 0;
  std::vector<IndexRange> pruned_;  // not taken yet

  std::int64_t added_ = 0;           // trials that the sampler and the incumbent have seen
  std::deque<EndedTrial> outcomes_;  // of trials added_..ended_-1
  // By space: the best complete trial of those that were added and are in the space.
  std::vector<std::shared_ptr<const Incumbent>> incumbents_;

  RefitTime refit_time_;
  bool has_complete_trial_ = false;
  std::int64_t trials_with_results_ = 0;

  // With patience: the best of the ended trials in the last space, and the trial that has used it up.
  std::int64_t best_ = -1;
  RankingCosts best_costs_{};
  std::optional<std::int64_t> stopped_after_;
};

}  // namespace sheaf
