// Scores of ensembles, computed from the predictions of their members in the journals.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/prediction_mean.hpp"
#include "runs/journal/replay.hpp"
#include "search/leaderboard.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// For each trial, repeat and fold: averages the predictions of the members, in member order, and scores the average on
/// the validation rows. Only the sum of the predictions is in memory. Local.
class EnsembleScore {
 public:
  /// `files`: the journals, indexed by JournaledIteration::file. Both arguments outlive the object.
  EnsembleScore(const TrainingContext& context, const std::vector<std::string>& files);

  /// Adds the next iteration of the plan, in order. Returns the result of the ensemble after its last member, otherwise
  /// nothing; nothing for studies without an ensemble or without validation rows, for refits, and if a member was
  /// pruned or is unfinished. Throws RunError.
  std::optional<EnsembleResult> add(const JournaledIteration& iteration);

 private:
  // The score of the averaged predictions, then their metrics.
  std::vector<double> scores_of_mean(const Iteration& model) const;

  const TrainingContext& context_;
  const std::vector<std::string>& files_;
  const bool scores_;
  // Over the members added so far.
  PredictionMean predictions_;
  double score_sum_ = 0;
  bool all_finished_ = true, all_trained_ = true;  // finished; neither pruned nor unfinished
};

}  // namespace sheaf
