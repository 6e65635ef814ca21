// A timeline (Gantt chart): spans of time in rows. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/plot/bars.hpp"

namespace sheaf {

struct TimeSpan {
  std::size_t row = 0;
  double begin = 0, end = 0;  ///< seconds
  std::string classes;
  std::string tip;
};

/// A vertical line with a text.
struct TimeMark {
  double at = 0;  ///< seconds
  std::string text;
};

/// `rows`: their names. The time axis has the unit that fits `end`: seconds, minutes or hours.
Drawing draw_timeline(const std::vector<std::string>& rows, const std::vector<TimeSpan>& spans,
                      const std::vector<TimeMark>& marks, double end, const std::vector<LegendEntry>& legend,
                      double width);

/// The unit of an axis of times up to `seconds`, and its length in seconds.
struct TimeUnit {
  std::string name;
  double seconds = 1;
};
TimeUnit time_unit(double seconds);

}  // namespace sheaf
