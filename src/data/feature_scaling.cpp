// SPDX-License-Identifier: MIT
#include "data/feature_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/quantile.hpp"

namespace sheaf {
namespace {

// Values beyond about three interquartile ranges from the median are bent to this distance.
constexpr float clip_distance = 3;

constexpr double min_relative_range = 1e-37;

// The scale of a divisor, as a normal number: some processors and libraries take smaller ones for 0.
float scale_of(double divisor) {
  return static_cast<float>(std::clamp(1 / divisor, double{std::numeric_limits<float>::min()}, 1e38));
}

// The variance is at most (greatest - mean) * (mean - least), and equal to it only if every value is one of the two
// (source: Bhatia and Davis, "A Better Bound on the Variance", 2000). True for constant features, and for those with a
// single value that is larger than the others by many orders of magnitude.
bool may_have_two_values(const FeatureMoments& moments, std::int64_t feature) {
  constexpr double rounding = 1e-8;
  const double mean = moments.mean(feature);
  const double bound = (moments.greatest(feature) - mean) * (mean - moments.least(feature));
  return moments.squares(feature) / moments.count(feature) >= (1 - rounding) * bound;
}

// Writes the values of a feature to `values`, without empty cells. `sample`: [rows, features].
void values_of(const std::vector<float>& sample, std::int64_t features, std::int64_t feature,
               std::vector<float>& values) {
  values.clear();
  for (auto index = static_cast<std::size_t>(feature); index < sample.size();
       index += static_cast<std::size_t>(features))
    if (!std::isnan(sample[index])) values.push_back(sample[index]);
}

// Limits the shift, so that the distances of the least and the greatest value to it can be stored as float.
float limited_shift(double shift, double least, double greatest) {
  constexpr double most = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(shift, greatest - most, least + most));
}

FeatureScaling robust_scaling(const FeatureMoments& moments, const std::vector<float>& sample) {
  const std::int64_t features = moments.features();
  FeatureScaling scaling;
  std::vector<float> values;
  for (std::int64_t feature = 0; feature < features; ++feature) {
    values_of(sample, features, feature, values);
    const bool any = moments.count(feature) > 0;
    const double least = any ? moments.least(feature) : 0, greatest = any ? moments.greatest(feature) : 0;
    const double width = greatest - least;
    const auto is_extreme = [&](float value) { return double{value} == least || double{value} == greatest; };
    const bool two_values =
        !any || (may_have_two_values(moments, feature) && std::all_of(values.begin(), values.end(), is_extreme));
    double shift = least, divisor = width > 0 ? width : 1;
    if (!two_values && values.empty()) {  // as for a normal distribution
      shift = moments.mean(feature);
      divisor = 1.349 * std::sqrt(moments.squares(feature) / moments.count(feature));
    } else if (!two_values) {
      shift = quantile(values, 0.5);
      const double range = quantile(values, 0.75) - quantile(values, 0.25);
      // Limited, so that no scaled value of the training rows overflows.
      divisor = range > 0 ? std::max(range, width * min_relative_range) : width / 2;
    }
    scaling.shift.push_back(limited_shift(shift, least, greatest));
    scaling.scale.push_back(width > 0 ? scale_of(divisor) : 0);
    scaling.clip.push_back(two_values ? 0 : 1 / clip_distance);
    if (two_values && !values.empty()) shift = quantile(values, 0.5);
    scaling.fill.push_back(values.empty() ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(shift));
  }
  return scaling;
}

}  // namespace

FeatureScaling feature_scaling(const FeatureMoments& moments, const std::vector<float>& sample, Normalize normalize) {
  if (normalize == Normalize::robust) return robust_scaling(moments, sample);
  const RowScaling exact = scaling_of(moments, normalize);
  FeatureScaling scaling;
  for (std::int64_t feature = 0; feature < moments.features(); ++feature) {
    const auto index = static_cast<std::size_t>(feature);
    scaling.shift.push_back(moments.count(feature) > 0
                                ? limited_shift(exact.shift[index], moments.least(feature), moments.greatest(feature))
                                : 0);
    const bool is_constant = moments.count(feature) == 0 || moments.least(feature) == moments.greatest(feature);
    scaling.scale.push_back(is_constant ? 0 : scale_of(exact.divisor[index]));
  }
  return scaling;
}

std::vector<float> fill_values(const FeatureFills& fills, const FeatureMoments* moments,
                               const std::vector<float>& sample) {
  const auto features = static_cast<std::int64_t>(fills.known.size());
  std::vector<float> found = fills.known, values;
  for (std::int64_t feature = 0; feature < features; ++feature) {
    const auto index = static_cast<std::size_t>(feature);
    float& fill = found[index];
    if (!std::isnan(fill)) continue;
    const bool has_mean = moments != nullptr && moments->count(feature) > 0;
    if (!fills.is_number[index]) continue;
    if (fills.rules[index] == FillRule::median) values_of(sample, features, feature, values);
    if (fills.rules[index] == FillRule::median && !values.empty())
      fill = static_cast<float>(quantile(values, 0.5));
    else if (has_mean && (fills.rules[index] == FillRule::mean || fills.empty_cells[index] > 0))
      fill = static_cast<float>(moments->mean(feature));
    else if (fills.empty_cells[index] > 0)
      fill = 0;
  }
  if (std::all_of(found.begin(), found.end(), [](float fill) { return std::isnan(fill); })) found.clear();
  return found;
}

}  // namespace sheaf
