// The ensembles' own scores, from predictions that lie in the journals.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runs/journal/replay.hpp"
#include "search/leaderboard.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// For each trial, repeat and fold: averages its members' predictions, in member order, and scores the average on the
/// validation rows. Members come one after the other; only the sum of their predictions is in memory. Local.
class EnsembleScore {
 public:
  /// `files`: the journals that JournaledIteration::file counts. All outlive it.
  EnsembleScore(const TrainingContext& context, const std::vector<std::string>& files);

  /// The plan's iterations in order. The ensemble, with its last member; none for studies without an ensemble or
  /// without validation rows. Throws RunError.
  std::optional<EnsembleResult> add(const JournaledIteration& iteration);

 private:
  double score(const Iteration& place) const;

  const TrainingContext& context_;
  const std::vector<std::string>& files_;
  const bool scores_;
  // Of the members so far.
  std::vector<double> prediction_sums_;
  double score_sum_ = 0;
  bool all_finished_ = true;
};

}  // namespace sheaf
