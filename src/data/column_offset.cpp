// SPDX-License-Identifier: MIT
#include "data/column_offset.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace sheaf {
namespace {

// The middle and the spread of a sample.
struct Middle {
  double value = 0, spread = 0;
};

std::vector<double> finite_ones(const std::vector<double>& sample) {
  std::vector<double> values;
  values.reserve(sample.size());
  for (const double value : sample)
    if (std::isfinite(value)) values.push_back(value);
  return values;
}

// A number of the sample, the lower of the middle ones. Reorders the values.
double at_fraction(std::vector<double>& values, double fraction) {
  const auto place = static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

Middle middle_of(std::vector<double>& values) {
  Middle middle{at_fraction(values, 0.5), at_fraction(values, 0.75) - at_fraction(values, 0.25)};
  if (middle.spread > 0) return middle;
  double sum = 0;
  for (const double value : values) sum += std::abs(value - middle.value);
  middle.spread = sum / static_cast<double>(values.size());
  return middle;
}

bool is_exact(double value) {
  return std::abs(value) <= double{std::numeric_limits<float>::max()} && double{static_cast<float>(value)} == value;
}

}  // namespace

double column_offset(const std::vector<double>& sample) {
  constexpr double limit = 1000;
  std::vector<double> values = finite_ones(sample);
  if (std::all_of(values.begin(), values.end(), is_exact)) return 0;
  const Middle middle = middle_of(values);
  return std::abs(middle.value) > limit * middle.spread ? middle.value : 0;
}

bool has_lost_digits(const std::vector<double>& sample) {
  constexpr double visible = 1.0 / 50, largest_exact = 1 << 24;
  std::vector<double> values = finite_ones(sample);
  const auto is_exact_integer = [](double value) {
    return std::abs(value) <= largest_exact && std::floor(value) == value;
  };
  if (std::all_of(values.begin(), values.end(), is_exact_integer)) return false;
  const Middle middle = middle_of(values);
  const auto magnitude = static_cast<float>(std::abs(middle.value));
  const double distance = double{std::nextafter(magnitude, std::numeric_limits<float>::infinity())} - double{magnitude};
  return middle.spread > 0 && distance > visible * middle.spread;
}

}  // namespace sheaf
