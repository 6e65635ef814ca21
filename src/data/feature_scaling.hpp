// Scaling of features for training: how it is applied, and how it follows from the training rows. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "data/feature_fills.hpp"
#include "data/moments.hpp"
#include "study/data_options.hpp"

namespace sheaf {

/// x = (value - shift) * scale, then x / sqrt(1 + (clip * x)^2), with one number of each per feature; an empty cell
/// (NaN) is first replaced by `fill`. Features are not scaled if `shift` is empty, and not clipped if `clip` is empty.
struct FeatureScaling {
  std::vector<float> shift;
  std::vector<float> scale;
  std::vector<float> clip;
  std::vector<float> fill{};   ///< NaN: not known, so the feature must have no empty cells, or the network has an input
                               ///< for them; empty list: none is known
  std::vector<float> edges{};  ///< feature_edges() of scaled features; empty: the network has no embedding
  /// [features]: scaled values that replace empty cells for which the network has an input, NaN for other features;
  /// empty list: the network has no such inputs.
  std::vector<float> replacements{};
};

/// sqrt(1 + bent^2), also where the square overflows. NaN if `bent` is NaN, infinite if it is infinite.
inline float clip_divisor(float bent) {
  return std::min(std::sqrt(1.0f + bent * bent), 1.0f + std::abs(bent));
}

/// A value of a feature that is not NaN, scaled.
inline float scaled_value(const FeatureScaling& scaling, std::size_t feature, float value) {
  if (scaling.shift.empty()) return value;
  value = (value - scaling.shift[feature]) * scaling.scale[feature];
  return scaling.clip.empty() ? value : value / clip_divisor(value * scaling.clip[feature]);
}

/// The scaling that follows from training rows. standard, minmax: scaling_of(), rounded to float. robust: a feature
/// with two values is mapped to 0 and 1; others are centered on their median, divided by their interquartile range (by
/// half their range if that is zero), and clipped smoothly to (-3, 3) (source: RealMLP, Holzmueller et al., "Better by
/// Default", 2024). No scaled value of the rows overflows. The scale of a constant feature is 0, so that the network,
/// which cannot learn anything of it, ignores other values of it, too. `moments`: of the rows; `sample`, for robust
/// only: [count, features] values of some of them. NaN is skipped. `fill`: medians (robust).
FeatureScaling feature_scaling(const FeatureMoments& moments, const std::vector<float>& sample, Normalize normalize);

/// The values for empty cells that follow from training rows: `fills.known`, otherwise by the rules. `moments`: of the
/// rows, or null if they are not known; means then are not. `sample`: values of some of the rows, or empty. A feature
/// that has empty cells but no value gets 0. NaN, or an empty list, for features whose value is not known.
std::vector<float> fill_values(const FeatureFills& fills, const FeatureMoments* moments,
                               const std::vector<float>& sample);

}  // namespace sheaf
