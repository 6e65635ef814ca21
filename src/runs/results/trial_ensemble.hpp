// The ensemble that was selected from the trials of a search (search.ensemble), and its file models/ensemble.json.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runs/results/test_result.hpp"

namespace sheaf {

/// A trial in an ensemble. Its predictions are the means of those of its models, which are its fits or, with run.refit,
/// its refit. Loss and score are those of the fits.
struct EnsembleMember {
  std::int64_t trial = 0;
  double weight = 0;                                          ///< above 0; the weights of all members add up to 1
  double loss = 0;                                            ///< of the trial alone, as TrialEnsemble::loss
  double score = 0;                                           ///< of the trial alone, as TrialEnsemble::score
  std::vector<std::pair<std::string, std::string>> values{};  ///< searched keys and their values
  std::vector<std::string> files{};                           ///< of its models, in the directory models
  bool is_refit = false;                                      ///< whether they are those of its refit on all rows
};

/// The predictions of an ensemble are the weighted means of the probabilities, or of the values, of its members.
struct TrialEnsemble {
  std::string task;                        ///< setting_text of data.task
  std::int64_t outputs = 0;                ///< classes, labels or targets
  std::vector<std::string> class_names{};  ///< [outputs] of classes or labels; empty: they are numbers, or a regression
  std::int64_t rows = 0;                   ///< held-out rows
  std::int64_t candidates = 0;             ///< trials from which it was selected
  std::int64_t selections = 0;             ///< of which it is the mean
  double loss = 0;                         ///< log loss or mean squared error for the held-out rows
  std::string metric;                      ///< MetricChoice::label() of the score
  double score = 0;                        ///< for the held-out rows; NaN: not defined
  std::vector<double> step_losses{};       ///< after each step of the selection; the means over the selections
  std::vector<EnsembleMember> members{};   ///< by weight, largest first; of equal ones the better trial first
  bool has_module = false;                 ///< whether models/ensemble.pt has been written
  std::optional<TestResult> test{};

  /// The member with the least loss; of equal ones the first.
  const EnsembleMember& best_member() const;
};

/// The models of an ensemble, in order, and their weights: a member divides its weight equally among its models.
struct WeightedFiles {
  std::vector<std::string> files;  ///< in the directory models
  std::vector<double> weights;     ///< [files], adding up to 1
};
WeightedFiles weighted_files(const TrialEnsemble& ensemble);

/// The content of ensemble.json. Pure.
std::string ensemble_json(const TrialEnsemble& ensemble);

/// Reads ensemble.json; nothing if there is no such file. Throws RunError if it is damaged. Local.
std::optional<TrialEnsemble> read_ensemble(const std::string& path);

/// "loss 0.1234, accuracy 0.9700 (its member with the least loss, trial 7: loss 0.15, accuracy 0.9612)". Pure.
std::string ensemble_text(const TrialEnsemble& ensemble);

/// One line for each of the first ten members, with its weight, trial and values, and the number of the others. Pure.
std::string member_lines(const TrialEnsemble& ensemble);

}  // namespace sheaf
