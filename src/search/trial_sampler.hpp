// The interface of samplers, which draw the values of trials from the outcomes of earlier trials.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/ranking.hpp"

namespace sheaf {

/// What is known of a trial that has ended.
struct TrialOutcome {
  bool is_pruned = false;  ///< not trained in all folds
  std::int64_t fits = 0;   ///< trained folds, of all repeats
  RankingCosts costs{};    ///< of the means over these fits; infinite is worst: a fit has diverged or failed
};

/// Draws trials one after another. A draw depends only on the outcomes that were added and on the values of the trials
/// before it, which the plan has. Not thread-safe.
class TrialSampler {
 public:
  virtual ~TrialSampler() = default;

  /// Adds the outcome of the next trial, in the order of their numbers.
  virtual void add(const TrialOutcome& outcome) = 0;

  /// Returns the values of the searched keys in a trial, as text in canonical form. Of all earlier trials, those
  /// without an outcome are pending.
  virtual std::vector<std::string> draw(std::int64_t trial) = 0;
};

}  // namespace sheaf
