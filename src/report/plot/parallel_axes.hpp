// Parallel coordinates: one vertical axis for each quantity, one line for each object. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/plot/bars.hpp"
#include "report/plot/chart.hpp"

namespace sheaf {

/// The values of an object on all axes. NaN: it has none, and its line passes below the axis. Values outside the range
/// are shown at its ends.
struct ParallelLine {
  std::vector<double> values;
  std::string classes;
  std::string tip;
};

/// `axes`: at least two. Later lines cover earlier ones.
Drawing draw_parallel(const std::vector<ChartAxis>& axes, const std::vector<ParallelLine>& lines, double width);

}  // namespace sheaf
