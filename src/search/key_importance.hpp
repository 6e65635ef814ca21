// How much each searched key decides the scores of a search. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/search_options.hpp"

namespace sheaf {

/// The values of one searched key in all trials. A list has one cell for each candidate, a range at most 50 cells.
struct KeyCells {
  bool is_list = false;
  std::int64_t count = 0;
  std::vector<std::optional<std::int64_t>> of_trials;  ///< nothing: the key has no effect in the trial
};

/// `values`: of the key, one for each trial, as text that is in the list or in the range.
KeyCells cells_of(const SearchedKey& key, const std::vector<std::optional<std::string>>& values);

/// The importance of each key for reaching one of the best tenth of the scores: how much the density of these trials
/// differs from that of all trials (Pearson divergence of Parzen estimators on the cells), adding up to 1. `costs`: one
/// for each trial, smaller is better; trials with one that is not finite do not count. With fewer than two trials, or
/// if no key matters, all keys are equally important. Sources: PED-ANOVA (Watanabe, Bansal and Hutter, arXiv
/// 2304.10255) with conditional keys (arXiv 2601.20800), as in Optuna 5.0.0.
std::vector<double> key_importances(const std::vector<KeyCells>& keys, const std::vector<double>& costs);

/// The share of each key in the variance of the scores: that between the means of its cells, divided by the whole
/// variance. In a complete grid the shares add up to at most 1, and interactions are the rest. Trials with a score that
/// is not finite do not count. All shares are 0 if the scores do not vary.
std::vector<double> variance_shares(const std::vector<KeyCells>& keys, const std::vector<double>& scores);

}  // namespace sheaf
