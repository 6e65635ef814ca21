// Ranks the trials of a study and selects the best models. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "core/index_range.hpp"
#include "search/ranking.hpp"
#include "study/plan.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

/// The score of an ensemble on the validation rows of one trial, repeat and fold. Its predictions are the averages of
/// the members' predictions.
struct EnsembleResult {
  std::int64_t stage = 0;
  std::int64_t trial = 0;
  std::int64_t repeat = 0;
  std::int64_t fold = 0;
  double score = 0;               ///< metric of the averaged predictions; NaN if a member diverged or failed
  double mean_member_score = 0;   ///< mean of the members' own scores
  std::vector<double> metrics{};  ///< `run.metrics` of the averaged predictions; NaN as the score
};

/// The results of a trial over its repeats, folds and members in the last stage that trained it, with those of earlier
/// stages to which this stage adds repeats. Means are NaN
/// without values or if a value is not finite. Exception: the score does not count where training finished but the
/// metric is not defined, such as ROC AUC in a fold that lacks a class.
struct TrialSummary {
  std::int64_t stage = 0;
  std::int64_t trial = 0;
  std::int64_t rank = 0;       ///< 1 is best
  double mean_score = 0;       ///< over repeats and folds; of the ensembles, if they are scored
  double score_deviation = 0;  ///< population standard deviation of these scores, as scikit-learn's std_test_score
  std::int64_t scores = 0;     ///< the number of scores in mean_score; 0 if it is NaN
  std::int64_t undefined_scores = 0;  ///< the number of scores that are not defined although training finished
  double mean_validation_loss = 0;
  double mean_final_loss = 0;
  std::int64_t iterations = 0;
  std::int64_t finished = 0;  ///< also those that were cut
  std::int64_t cut = 0;
  std::int64_t diverged = 0;
  std::int64_t left_out = 0;         ///< pruned and unfinished iterations; means are over the others
  double seconds = 0;                ///< training time, summed
  std::vector<double> mean_metrics;  ///< of `run.metrics`, over the same results as the score
};

/// Ranks the trials of a plan while the iterations of its search are added one by one. Stores a summary of each trial
/// in each stage, and the single scores of the current trial only; of all trials if a later stage adds repeats to them.
class Leaderboard {
 public:
  /// Whether the models of these iterations, the members of one repeat and fold, exist.
  using HasModels = std::function<bool(IndexRange members)>;

  /// `plan` must outlive the leaderboard. Reserves memory for `trials` in all stages. `has_models`: best_model()
  /// prefers models that exist; null: all do.
  Leaderboard(const Plan& plan, Ranking ranking, std::int64_t trials = 0, HasModels has_models = {});

  /// Adds the next iteration. The order is that of the plan; all iterations of a trial in a stage may be left out.
  /// `ensemble` is null, except with the last member of each ensemble if ensembles are scored.
  /// `metrics`: TrainedIteration::metrics.
  void add(const IterationResult& result, const EnsembleResult* ensemble, const std::vector<double>& metrics = {});

  /// The trained trials, best first: those that reached more epochs, then by the means of their last stage in the order
  /// of the ranking. Trials with iterations that were left out rank behind complete ones. Ties are in the order of the
  /// trials. Trials whose losses are not finite rank last. Call it after the last iteration.
  std::vector<TrialSummary> ranked() const;

  /// Whether trial `a` ranks before trial `b`.
  bool is_before(const TrialSummary& a, const TrialSummary& b) const;

  /// The iterations of the best model of a trial in its last stage: the members of the best repeat and fold. These are
  /// ranked like trials, by sums over the members (or the score of the ensemble); the first of equals wins. Empty if no
  /// repeat and fold has only finished members. Call it after the trial's last iteration.
  IndexRange best_model(std::int64_t trial) const;

 private:
  // The members of one trial, repeat and fold.
  struct Group {
    std::int64_t results = 0;                               // without those left out
    double score = 0, validation_loss = 0, final_loss = 0;  // summed over the members
    bool finished = true;                                   // all members finished
    std::vector<double> scores;                             // of the members, without undefined ones
    std::int64_t undefined_scores = 0;
    std::vector<double> metrics;  // summed over the members; empty without any
  };

  // The results of a trial so far.
  struct Results {
    TrialSummary summary;
    std::vector<double> scores;
    bool any_score_missing = false;
    double validation_losses = 0, final_losses = 0;  // sums
    std::vector<double> metric_sums;                 // over the members or ensembles
    double metric_results = 0;                       // their number
    IndexRange best_model;
    bool has_best_model = false;  // whether its files exist
    RankingCosts least{};
  };

  // The results of a trial in one stage.
  struct StageOfTrial {
    TrialSummary summary;
    IndexRange best_model;
  };

  // A trial to which the next stage adds repeats.
  struct ContinuedTrial {
    std::size_t place;  // in trials_
    Results results;
  };

  void begin_trial(const Iteration& iteration);
  void add_to_group(const IterationResult& result, const std::vector<double>& metrics);
  void end_group(IndexRange members, const EnsembleResult* ensemble);
  void add_score(double score);
  void add_metrics(const std::vector<double>& sums, double results);
  void end_trial();

  const Plan& plan_;
  const Ranking ranking_;
  const HasModels has_models_;
  std::vector<StageOfTrial> trials_;                  // stage by stage
  std::map<std::int64_t, ContinuedTrial> continued_;  // by trial
  // The state of the current trial.
  Results trial_;
  std::int64_t in_stage_ = 0;         // its iterations in the current stage
  std::optional<std::size_t> place_;  // in trials_, if the stage adds repeats to it
  Group group_;
};

}  // namespace sheaf
