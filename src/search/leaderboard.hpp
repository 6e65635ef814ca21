// How the trials of a study compare. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/index_range.hpp"
#include "study/plan.hpp"
#include "study/study.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

/// The score of an ensemble: its members' predictions averaged, on the validation rows of one trial, repeat and fold.
struct EnsembleResult {
  std::int64_t stage = 0;
  std::int64_t trial = 0;
  std::int64_t repeat = 0;
  std::int64_t fold = 0;
  double score = 0;              ///< the metric of the averaged predictions; NaN if a member diverged or failed
  double mean_member_score = 0;  ///< of the members alone
};

/// One trial over all its folds, repeats and members in the last stage that trained it. NaN where there is nothing to
/// average, or a value is not finite.
struct TrialSummary {
  std::int64_t stage = 0;
  std::int64_t trial = 0;
  std::int64_t rank = 0;       ///< 1 is best
  double mean_score = 0;       ///< over folds and repeats, of the ensemble where there is one
  double score_deviation = 0;  ///< population standard deviation of the same, as scikit-learn's std_test_score
  double mean_validation_loss = 0;
  double mean_final_loss = 0;
  std::int64_t iterations = 0;
  std::int64_t diverged = 0;
  double seconds = 0;  ///< training time, summed
};

/// What ranks trials and models. Ties are broken by the others: score, validation loss, final loss.
struct Ranking {
  bool by_loss = false;          ///< by the validation loss rather than the score
  bool larger_is_better = true;  ///< of the score
};

/// The ranking that search.metric selects.
Ranking ranking_of(const Study& study);

/// Ranks the trials of a plan from its iterations, which come one after the other. Keeps a summary of each trial in
/// each stage, and the scores of the trial whose iterations come right now.
class Leaderboard {
 public:
  /// `plan` outlives it.
  Leaderboard(const Plan& plan, Ranking ranking);

  /// The plan's iterations in order. `ensemble`: null, or, for the last member of each ensemble of a study whose
  /// ensembles are scored, that ensemble.
  void add(const IterationResult& result, const EnsembleResult* ensemble);

  /// The trained trials, best first, each by its last stage, by means: by the score and then the lower validation loss,
  /// or the other way round as the ranking says, then by the lower final loss, then their number; what is not a number
  /// comes last. After the last iteration.
  std::vector<TrialSummary> ranked() const;

  /// The iterations of the best model of trial `trial` in its last stage: all members of the repeat and fold that is
  /// best in the same order, summed over the members; the first of equals. Empty when none has members that all
  /// finished. After the trial's last iteration.
  IndexRange best_model(std::int64_t trial) const;

 private:
  using Costs = std::array<double, 3>;  // in the order in which they count

  // The members of one trial, repeat and fold.
  struct Group {
    double score = 0, validation_loss = 0, final_loss = 0;  // summed over the members
    bool finished = true;                                   // all of them
  };

  Costs costs_of(double score, double validation_loss, double final_loss) const;
  void end_group(IndexRange members, const EnsembleResult* ensemble);
  void end_trial();

  // A trial in one stage.
  struct StageOfTrial {
    TrialSummary summary;
    IndexRange best_model;
  };

  const Plan& plan_;
  const Ranking ranking_;
  std::vector<StageOfTrial> trials_;  // stage by stage
  // Of the trial at hand.
  TrialSummary trial_;
  std::vector<double> scores_;
  double validation_losses_ = 0, final_losses_ = 0;  // sums
  IndexRange best_model_;
  Costs least_{};
  Group group_;
};

}  // namespace sheaf
