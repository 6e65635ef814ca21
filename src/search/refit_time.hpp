// Estimates how long the refit of a search takes, while the search goes on. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "search/ranking.hpp"

namespace sheaf {

/// Stores the best trials only.
class RefitTime {
 public:
  /// `trials`: the number of the best trials that are expected to be trained again; 0: there is no refit.
  explicit RefitTime(std::size_t trials) : trials_(trials) {}

  /// Adds a trial that was trained in all fits. `seconds`: of a training that is as long as the
  /// refit, on the rows of a fit, summed over the members; the mean over the fits.
  void add(const RankingCosts& costs, double seconds);

  /// The expected seconds, if `lanes` lanes train all `members` of each trial side by side. `rows`: the rows of the
  /// refit, divided by the training rows of a fit.
  double seconds(std::int64_t members, std::int64_t lanes, double rows) const;

 private:
  std::size_t trials_;
  std::multimap<RankingCosts, double> best_;  // seconds by costs
};

}  // namespace sheaf
