// A simple leaderboard computed from all results at once, as the reference for the incremental one.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "search/leaderboard.hpp"

namespace sheaf::reference {

struct Mean {
  double mean = std::numeric_limits<double>::quiet_NaN();
  double deviation = std::numeric_limits<double>::quiet_NaN();
};

inline Mean mean_of(const std::vector<double>& values) {
  if (values.empty()) return {};
  double sum = 0;
  for (double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  double squares = 0;
  for (double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / static_cast<double>(values.size()))};
}

// Smaller is better. Values that are not finite are worst.
inline double cost(double value) {
  return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
}

inline TrialSummary summarise(const Plan& plan, std::int64_t trial, const std::vector<IterationResult>& results,
                              const std::vector<EnsembleResult>& ensembles) {
  TrialSummary summary;
  summary.trial = trial;
  const std::int64_t per_trial = plan.iteration_count() / plan.trial_count();
  // A score does not count if training finished, but the metric is not defined.
  const auto is_defined = [](bool finished, double score, double loss) {
    return !finished || !std::isnan(score) || !std::isfinite(loss);
  };
  std::vector<double> scores, validation_losses, final_losses;
  for (std::int64_t number = trial * per_trial; number < (trial + 1) * per_trial; ++number) {
    const IterationResult& result = results[static_cast<std::size_t>(number)];
    if (is_defined(result.status == IterationStatus::finished, result.validation_score, result.validation_loss))
      scores.push_back(result.validation_score);
    validation_losses.push_back(result.validation_loss);
    final_losses.push_back(result.final_loss);
    summary.diverged += result.status == IterationStatus::diverged ? 1 : 0;
    summary.seconds += result.seconds;
  }
  if (!ensembles.empty()) {
    scores.clear();
    const std::int64_t per_ensemble = plan.repeats() * plan.folds();
    for (std::int64_t number = trial * per_ensemble; number < (trial + 1) * per_ensemble; ++number) {
      const double score = ensembles[static_cast<std::size_t>(number)].score;
      double loss = 0;
      bool finished = true;
      for (std::int64_t member = 0; member < plan.members(); ++member) {
        const IterationResult& result = results[static_cast<std::size_t>(number * plan.members() + member)];
        loss += result.validation_loss;
        finished = finished && result.status == IterationStatus::finished;
      }
      if (is_defined(finished, score, loss)) scores.push_back(score);
    }
  }
  const Mean score = mean_of(scores);
  summary.iterations = per_trial;
  summary.mean_score = score.mean;
  summary.score_deviation = score.deviation;
  summary.mean_validation_loss = mean_of(validation_losses).mean;
  summary.mean_final_loss = mean_of(final_losses).mean;
  return summary;
}

inline std::vector<TrialSummary> rank_trials(const Plan& plan, const std::vector<IterationResult>& results,
                                             const std::vector<EnsembleResult>& ensembles) {
  assert(static_cast<std::int64_t>(results.size()) == plan.iteration_count());
  std::vector<TrialSummary> trials;
  for (std::int64_t trial = 0; trial < plan.trial_count(); ++trial)
    trials.push_back(summarise(plan, trial, results, ensembles));
  std::stable_sort(trials.begin(), trials.end(), [](const TrialSummary& a, const TrialSummary& b) {
    return std::make_tuple(cost(-a.mean_score), cost(a.mean_validation_loss), cost(a.mean_final_loss)) <
           std::make_tuple(cost(-b.mean_score), cost(b.mean_validation_loss), cost(b.mean_final_loss));
  });
  for (std::size_t index = 0; index < trials.size(); ++index) trials[index].rank = static_cast<std::int64_t>(index) + 1;
  return trials;
}

inline IndexRange best_model(const Plan& plan, std::int64_t trial, const std::vector<IterationResult>& results,
                             const std::vector<EnsembleResult>& ensembles) {
  IndexRange best;
  std::tuple<double, double, double> least;
  const std::int64_t groups = plan.repeats() * plan.folds();
  for (std::int64_t group = trial * groups; group < (trial + 1) * groups; ++group) {
    const IndexRange members{group * plan.members(), (group + 1) * plan.members()};
    double score = 0, validation_loss = 0, final_loss = 0;
    bool finished = true;
    for (std::int64_t number = members.begin; number < members.end; ++number) {
      const IterationResult& result = results[static_cast<std::size_t>(number)];
      score += result.validation_score;
      validation_loss += result.validation_loss;
      final_loss += result.final_loss;
      finished = finished && result.status == IterationStatus::finished;
    }
    if (!ensembles.empty()) score = ensembles[static_cast<std::size_t>(group)].score;
    const auto costs = std::make_tuple(cost(-score), cost(validation_loss), cost(final_loss));
    if (!finished || (!best.empty() && !(costs < least))) continue;
    best = members;
    least = costs;
  }
  return best;
}

}  // namespace sheaf::reference
