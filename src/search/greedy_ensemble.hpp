// Greedy ensemble selection: the weights of models in an ensemble, from their predictions for held-out rows. Pure.
// Source: Caruana, Niculescu-Mizil, Crew and Ksikes, Ensemble selection from libraries of models, ICML 2004.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "study/data_options.hpp"

namespace sheaf {

/// Held-out rows and what models should predict for them. The arrays belong to the caller.
struct HeldOutTargets {
  Task task = Task::classification;
  std::int64_t rows = 0, outputs = 0;
  const std::int64_t* labels = nullptr;  ///< [rows], each in 0..outputs-1; classification only
  const float* targets = nullptr;        ///< [rows, outputs]; of labels 0 and 1; null for classification
  const float* weights = nullptr;        ///< [rows], at least 0; null: all are 1. Rows without weight have no effect
};

/// The predictions of each candidate for the held-out rows, [rows, outputs]: probabilities of classes or labels, or
/// values. A candidate whose predictions are not all finite is never selected.
using CandidatePredictions = std::vector<const float*>;

/// Each step of a selection adds the candidate with which the mean of all those chosen so far has the least loss; of
/// equal ones the first. A candidate may be chosen many times.
struct GreedySelection {
  static constexpr std::size_t steps = 40;

  std::vector<std::size_t> chosen;  ///< [steps], candidates
  std::vector<double> losses;       ///< [steps], after each step
  std::size_t best_steps = 0;       ///< the number of steps with the least loss; of equal ones the smallest

  /// How often each candidate is chosen in the best steps, as parts that add up to 1: [candidates].
  std::vector<double> weights(std::size_t candidates) const;
};

/// Selects candidates for rows with these weights, [rows]; if empty, all are 1. The loss is the log loss of classes,
/// the mean log loss of labels, or the mean squared error of the outputs. Nothing if no row has a weight or no
/// candidate can be selected. At most `threads` threads compute; the result does not depend on them.
std::optional<GreedySelection> select_greedily(const HeldOutTargets& targets, const CandidatePredictions& candidates,
                                               const std::vector<double>& row_weights, std::int64_t threads);

/// An ensemble of candidates. Its predictions are their weighted mean.
struct GreedyEnsemble {
  /// Below this number of rows with a weight, the ensemble is the mean of several selections, which overfit less.
  static constexpr std::int64_t bootstrapped_below = 2000;
  static constexpr std::uint64_t bootstraps = 20;

  std::vector<double> weights;         ///< [candidates], adding up to 1
  double loss = 0;                     ///< of the ensemble, for all rows
  std::vector<double> single_losses;   ///< [candidates], for all rows; NaN: cannot be selected
  std::vector<GreedySelection> parts;  ///< one selection for all rows, or one for each bootstrap of the rows
};

/// About how many seconds greedy_ensemble() takes (bench/ensemble_speed). `rows`: held out.
double expected_selection_seconds(Task task, std::int64_t rows, std::int64_t outputs, std::int64_t candidates,
                                  std::int64_t threads);

/// The ensemble of a seed. A bootstrap draws as many rows as have a weight from those, with replacement. The losses of
/// a part are those for its own bootstrap; `loss` and `single_losses` can be compared with each other. With bootstraps,
/// the ensemble can be worse on these rows than its best candidate. Nothing as select_greedily().
std::optional<GreedyEnsemble> greedy_ensemble(const HeldOutTargets& targets, const CandidatePredictions& candidates,
                                              std::uint64_t seed, std::int64_t threads);

}  // namespace sheaf
