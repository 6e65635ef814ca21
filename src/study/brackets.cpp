// SPDX-License-Identifier: MIT
#include "study/brackets.hpp"

#include <algorithm>

namespace sheaf {

std::vector<std::int64_t> rung_epochs(std::int64_t epochs, std::int64_t factor, std::int64_t min_epochs) {
  std::vector<std::int64_t> rungs = {epochs};
  while (rungs.back() / factor >= min_epochs) rungs.push_back(rungs.back() / factor);
  std::reverse(rungs.begin(), rungs.end());
  return rungs;
}

std::vector<std::int64_t> bracket_sizes(std::int64_t rungs, std::int64_t factor) {
  std::vector<std::int64_t> sizes;
  std::int64_t power = 1;  // factor^s
  for (std::int64_t s = 0; s < rungs; ++s, power *= factor) sizes.push_back((rungs * power + s) / (s + 1));
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

}  // namespace sheaf
