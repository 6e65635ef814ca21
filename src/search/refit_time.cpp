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

double RefitTime::seconds(std::size_t trials, std::int64_t members, std::int64_t lanes, double rows,
                          const RunningTime& running) const {
  double longest = running.longest;
  std::size_t place = 0;
  for (const auto& [costs, seconds] : best_)
    if (place++ < trials) longest = std::max(longest, seconds / static_cast<double>(members));
  const auto taken = std::min(trials, static_cast<std::size_t>(running.count));
  double with_running = total(trials - taken);
  if (taken > 0) with_running += running.total * static_cast<double>(taken) / static_cast<double>(running.count);
  return rows * std::max(std::max(total(trials), with_running) / static_cast<double>(lanes), longest);
}

double RefitTime::total(std::size_t trials) const {
  double sum = 0;
  for (const auto& [costs, seconds] : best_)
    if (trials-- > 0)
      sum += seconds;
    else
      break;
  return sum;
}

}  // namespace sheaf
