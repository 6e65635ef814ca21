// SPDX-License-Identifier: MIT
#include "search/refit_time.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace sheaf {

void RefitTime::add(const RankingCosts& costs, double seconds) {
  if (std::isinf(costs[0])) return;
  best_.emplace(costs, seconds);
  if (best_.size() > usual_members) best_.erase(std::prev(best_.end()));
}

double RefitTime::seconds(std::size_t trials, std::int64_t members, std::int64_t lanes, double rows) const {
  double total = 0, longest = 0;
  for (const auto& [costs, seconds] : best_) {
    if (trials-- == 0) break;
    total += seconds;
    longest = std::max(longest, seconds / static_cast<double>(members));
  }
  return rows * std::max(total / static_cast<double>(lanes), longest);
}

}  // namespace sheaf
