// SPDX-License-Identifier: MIT
#include "data/feature_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sheaf {
namespace {

constexpr std::int64_t max_sampled_rows = 1 << 16;
constexpr std::int64_t max_sampled_values = 1 << 24;

// Values beyond about three interquartile ranges from the median are bent to this distance.
constexpr float clip_distance = 3;

constexpr double min_relative_range = 1e-37;

// The scale of a divisor, as a normal number: some processors and libraries take smaller ones for 0.
float scale_of(double divisor) {
  return static_cast<float>(std::clamp(1 / divisor, double{std::numeric_limits<float>::min()}, 1e38));
}

// The quantile as NumPy computes it by default: interpolated between the two nearest values. Reorders the values.
double quantile(std::vector<float>& values, double fraction) {
  const double position = fraction * static_cast<double>(values.size() - 1);
  const auto lower = static_cast<std::ptrdiff_t>(std::floor(position));
  std::nth_element(values.begin(), values.begin() + lower, values.end());
  const double low = double{values[static_cast<std::size_t>(lower)]};
  if (position == std::floor(position)) return low;
  const double high = double{*std::min_element(values.begin() + lower + 1, values.end())};
  return low + (position - std::floor(position)) * (high - low);
}

// The variance is at most (greatest - mean) * (mean - least), and equal to it only if every value is one of the two
// (source: Bhatia and Davis, "A Better Bound on the Variance", 2000). True for constant features, and for those with a
// single value that is larger than the others by many orders of magnitude.
bool may_have_two_values(const FeatureMoments& moments, std::int64_t feature) {
  constexpr double rounding = 1e-8;
  const double mean = moments.mean(feature);
  const double bound = (moments.greatest(feature) - mean) * (mean - moments.least(feature));
  return moments.squares(feature) / static_cast<double>(moments.count()) >= (1 - rounding) * bound;
}

FeatureScaling robust_scaling(const FeatureMoments& moments, const std::vector<float>& sample) {
  const std::int64_t features = moments.features();
  const auto rows = static_cast<std::int64_t>(sample.size()) / features;
  FeatureScaling scaling;
  std::vector<float> values(static_cast<std::size_t>(rows));
  for (std::int64_t feature = 0; feature < features; ++feature) {
    for (std::int64_t row = 0; row < rows; ++row)
      values[static_cast<std::size_t>(row)] = sample[static_cast<std::size_t>(row * features + feature)];
    const double least = moments.least(feature), greatest = moments.greatest(feature), width = greatest - least;
    const auto is_extreme = [&](float value) { return double{value} == least || double{value} == greatest; };
    const bool two_values =
        may_have_two_values(moments, feature) && std::all_of(values.begin(), values.end(), is_extreme);
    double shift = least, divisor = width > 0 ? width : 1;
    if (!two_values && rows == 0) {  // as for a normal distribution
      shift = moments.mean(feature);
      divisor = 1.349 * std::sqrt(moments.squares(feature) / static_cast<double>(moments.count()));
    } else if (!two_values) {
      shift = quantile(values, 0.5);
      const double range = quantile(values, 0.75) - quantile(values, 0.25);
      // Limited, so that no scaled value of the training rows overflows.
      divisor = range > 0 ? std::max(range, width * min_relative_range) : width / 2;
    }
    scaling.shift.push_back(static_cast<float>(shift));
    scaling.scale.push_back(scale_of(divisor));
    scaling.clip.push_back(two_values ? 0 : 1 / clip_distance);
  }
  return scaling;
}

}  // namespace

std::int64_t sample_stride(std::int64_t rows, std::int64_t features) {
  const std::int64_t most = std::clamp<std::int64_t>(max_sampled_values / features, 1, max_sampled_rows);
  return std::max<std::int64_t>(1, (rows + most - 1) / most);
}

FeatureScaling feature_scaling(const FeatureMoments& moments, const std::vector<float>& sample, Normalize normalize) {
  if (normalize == Normalize::robust) return robust_scaling(moments, sample);
  const RowScaling exact = scaling_of(moments, normalize);
  FeatureScaling scaling;
  for (const double shift : exact.shift) scaling.shift.push_back(static_cast<float>(shift));
  for (const double divisor : exact.divisor) scaling.scale.push_back(scale_of(divisor));
  return scaling;
}

}  // namespace sheaf
