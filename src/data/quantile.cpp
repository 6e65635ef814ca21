// SPDX-License-Identifier: MIT
#include "data/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sheaf {
namespace {

double position_of(const std::vector<float>& values, double fraction) {
  return fraction * static_cast<double>(values.size() - 1);
}

double between(double low, double high, double position) {
  return low + (position - std::floor(position)) * (high - low);
}

}  // namespace

double quantile(std::vector<float>& values, double fraction) {
  const double position = position_of(values, fraction);
  const auto lower = static_cast<std::ptrdiff_t>(std::floor(position));
  std::nth_element(values.begin(), values.begin() + lower, values.end());
  const double low = double{values[static_cast<std::size_t>(lower)]};
  if (position == std::floor(position)) return low;
  return between(low, double{*std::min_element(values.begin() + lower + 1, values.end())}, position);
}

double quantile_of_sorted(const std::vector<float>& values, double fraction) {
  const double position = position_of(values, fraction);
  const auto lower = static_cast<std::size_t>(position);
  const double low = double{values[lower]};
  return position == std::floor(position) ? low : between(low, double{values[lower + 1]}, position);
}

}  // namespace sheaf
