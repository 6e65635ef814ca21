// Scales of axes: from values to places in a picture, and the values at which they have ticks. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace sheaf {

enum class ScaleKind { linear, logarithmic };

/// Maps the values from `low` to `high` to the places from `begin` to `end`. Logarithmic: both are positive.
struct Scale {
  ScaleKind kind = ScaleKind::linear;
  double low = 0, high = 1;
  double begin = 0, end = 1;

  /// Values outside low..high are outside begin..end.
  double at(double value) const;
};

/// The range of an axis.
struct AxisRange {
  double low = 0, high = 1;
};

/// The range of the finite values, widened a little on both sides, so that no mark lies on an edge. Logarithmic: of the
/// positive values. Without any, 0..1 or 1..10.
AxisRange range_of(const std::vector<double>& values, ScaleKind kind);

/// About `wanted` round values from low to high: multiples of 1, 2 or 5 times a power of ten; on a logarithmic scale
/// powers of ten, with 2 and 5 times them if there are few.
std::vector<double> ticks_of(ScaleKind kind, double low, double high, int wanted);

/// The labels of ticks: as many decimals as their distance needs, and all in the same form.
std::vector<std::string> tick_labels(const std::vector<double>& ticks);

/// A number with at most `digits` significant digits, without trailing zeros, whole from 10^digits on: "0.0123",
/// "1e-5", "12345", "2e6"; empty if it is not finite.
std::string short_number(double value, int digits = 4);

}  // namespace sheaf
