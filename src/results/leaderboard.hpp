// How the trials of a study compare. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/index_range.hpp"
#include "plan/iteration_record.hpp"
#include "plan/plan.hpp"

namespace sheaf {

/// The score of an ensemble: its members' predictions averaged, on the validation rows of one trial, repeat and fold.
struct EnsembleRecord {
  std::int64_t trial = 0;
  std::int64_t repeat = 0;
  std::int64_t fold = 0;
  double score = 0;              ///< accuracy or R2 of the averaged predictions; NaN if a member diverged or failed
  double mean_member_score = 0;  ///< of the members alone
};

/// One trial over all its folds, repeats and members. NaN where there is nothing to average, or a value is not finite.
struct TrialSummary {
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

/// The trials, best first: by mean score, then lower validation loss, then lower final loss, then their number; what
/// is not a number comes last. `records` holds every iteration of the plan in order; `ensembles` is empty or holds one
/// for each trial, repeat and fold, in that order.
std::vector<TrialSummary> rank_trials(const Plan& plan, const std::vector<IterationRecord>& records,
                                      const std::vector<EnsembleRecord>& ensembles);

/// The iterations of the best model of trial `trial`: all members of the repeat and fold that has the best score, then
/// lower validation loss, then lower final loss, summed over the members; the first of equals. Empty when none has
/// members that all finished. `records` and `ensembles` as above.
IndexRange best_model(const Plan& plan, std::int64_t trial, const std::vector<IterationRecord>& records,
                      const std::vector<EnsembleRecord>& ensembles);

}  // namespace sheaf
