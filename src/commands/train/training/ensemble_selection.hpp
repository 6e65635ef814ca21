// The selection of an ensemble of the trials of a search (search.ensemble), from the predictions in the journals.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/index_range.hpp"
#include "runs/journal/replay.hpp"
#include "runs/results/trial_ensemble.hpp"
#include "search/ensemble_candidates.hpp"
#include "search/greedy_ensemble.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// Stores where the predictions of the iterations are, 32 bytes each, and reads those of the candidates. Local.
class EnsembleSelection {
 public:
  /// `files`: the journals, indexed by JournaledIteration::file. Both arguments outlive the object.
  EnsembleSelection(const TrainingContext& context, const std::vector<std::string>& files);

  /// Adds an iteration whose predictions are for the validation rows of its split.
  void add(const JournaledIteration& iteration);

  /// The ensemble of the best trials among `trials`, the leaderboard, whose predictions were added and whose iterations
  /// `has_models`. Nothing if there are none. The same for any number of threads, of which it uses at most `threads`.
  /// Throws RunError if predictions cannot be read.
  std::optional<TrialEnsemble> select(const std::vector<TrialSummary>& trials,
                                      const std::function<bool(IndexRange iterations)>& has_models,
                                      std::int64_t threads) const;

 private:
  // The predictions of one iteration.
  struct Stored {
    PredictionsLocation location;
    std::size_t file = 0;
  };

  // The held-out rows, what models should predict for them, and the predictions of the candidates.
  struct Library;

  const RowSet& validation_rows(std::int64_t repeat, std::int64_t fold) const;
  std::vector<float> mean_predictions(const TrialSummary& trial, const HeldOutRows& rows) const;
  Library read(std::vector<TrialSummary> candidates, std::int64_t threads) const;
  // Of predictions for the held-out rows.
  double score_of(const Library& library, const std::vector<float>& predictions) const;
  EnsembleMember member_of(const Library& library, std::size_t candidate, const GreedyEnsemble& greedy) const;

  const TrainingContext& context_;
  const std::vector<std::string>& files_;
  std::vector<Stored> stored_;  // [iterations]; without bytes: none
  std::vector<Split> splits_;   // [repeats, folds], without scalings
};

}  // namespace sheaf
