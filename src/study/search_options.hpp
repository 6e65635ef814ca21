// The section [search] of a study, and the candidates of its searched keys.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "study/search_methods.hpp"

namespace sheaf {

/// The values of a searched key: one of a list, or numbers from a range, drawn uniformly on a linear or a logarithmic
/// scale.
enum class Sampling { list, uniform, log_uniform, integer, log_integer };

/// A searched key and its values, as text that apply_setting() accepts.
struct SearchedKey {
  std::string key;                      ///< e.g. "train.learning_rate"
  std::vector<std::string> candidates;  ///< of a range: its two ends, which stand for it in checks and estimates
  Sampling sampling = Sampling::list;
};

struct SearchOptions {
  SearchMethod method = SearchMethod::none;
  std::int64_t trials = 0;  ///< that are drawn; 0: as TrialSource says
  /// halving, hyperband: a stage has this many times the epochs, and 1/factor of the trials, of the one before.
  std::int64_t factor = 3;
  std::int64_t interval = 10;   ///< median: epochs per stage
  std::int64_t min_epochs = 1;  ///< halving, hyperband, median: of the first stage
  std::int64_t folds = 1;       ///< 1: no cross-validation
  std::int64_t repeats = 1;     ///< each repeat draws new folds
  bool weighted = false;        ///< validation losses and metrics weight the rows
  std::string metric = "loss";  ///< ranks the trials: "loss", or MetricChoice::name()
  /// Whether trials are drawn from lists and ranges.
  bool draws_trials() const { return trials > 0 || search_method_of(method).trials == TrialSource::scheduled; }

  std::vector<SearchedKey> keys;  ///< in the order of the study file, then of the command line
};

}  // namespace sheaf
