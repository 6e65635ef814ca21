// Scaling of features for training: how it is applied, and how it follows from the training rows. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "data/moments.hpp"
#include "study/study.hpp"

namespace sheaf {

/// x = (value - shift) * scale, then x / sqrt(1 + (clip * x)^2), with one number of each per feature. Features are not
/// scaled if `shift` is empty, and not clipped if `clip` is empty.
struct FeatureScaling {
  std::vector<float> shift;
  std::vector<float> scale;
  std::vector<float> clip;
};

/// sqrt(1 + bent^2), also where the square overflows. NaN if `bent` is NaN, infinite if it is infinite.
inline float clip_divisor(float bent) {
  return std::min(std::sqrt(1.0f + bent * bent), 1.0f + std::abs(bent));
}

/// Quantiles are computed from every n-th row of the data set. Returns n: 1 up to 65536 rows or, for many features, 64
/// MiB of values.
std::int64_t sample_stride(std::int64_t rows, std::int64_t features);

/// The scaling that follows from training rows. standard, minmax: scaling_of(), rounded to float. robust: a feature
/// with two values is mapped to 0 and 1; others are centered on their median, divided by their interquartile range (by
/// half their range if that is zero), and clipped smoothly to (-3, 3); constant features are only shifted (source:
/// RealMLP, Holzmueller et al., "Better by Default", 2024). `moments`: of the rows; `sample`, for robust only: [count,
/// features] values of some of them.
FeatureScaling feature_scaling(const FeatureMoments& moments, const std::vector<float>& sample, Normalize normalize);

}  // namespace sheaf
