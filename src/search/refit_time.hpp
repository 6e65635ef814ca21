// Estimates how long the refit of a search takes, while the search goes on. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "search/ranking.hpp"

namespace sheaf {

/// Of trainings that run and count as trials when the search ends now.
struct RunningTime {
  std::int64_t count = 0;
  double total = 0, longest = 0;  ///< seconds so far
};

class RefitTime {
 public:
  /// The trials that the refit of an ensemble of 50 candidates usually trains: 5 to 25 (bench/ensemble_quality.py).
  static constexpr std::size_t usual_members = 20;

  /// Adds a trial that was trained in all fits. `seconds`: of a training that is as long as the
  /// refit, on the rows of a fit, summed over the members; the mean over the fits.
  void add(const RankingCosts& costs, double seconds);

  /// The expected seconds of the refit of the best `trials`, at most usual_members, if `lanes` lanes train all
  /// `members` of each trial side by side. `rows`: the rows of the refit, divided by the training rows of a fit.
  /// `running` may be among the best.
  double seconds(std::size_t trials, std::int64_t members, std::int64_t lanes, double rows,
                 const RunningTime& running = {}) const;

 private:
  double total(std::size_t trials) const;

  std::multimap<RankingCosts, double> best_;  // seconds by costs, of the best usual_members
};

}  // namespace sheaf
