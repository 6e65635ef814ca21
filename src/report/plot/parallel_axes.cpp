// SPDX-License-Identifier: MIT
#include "report/plot/parallel_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sheaf {
namespace {

// An axis with its ticks, whose labels have some space on the right.
std::string draw_axis(const ChartAxis& axis, const Scale& scale, double x, double space) {
  constexpr std::size_t most = 18;
  std::string body = fmt::format("<path class=\"axis\" d=\"M{} {}V{}\"/>", svg_number(x), svg_number(scale.end),
                                 svg_number(scale.begin));
  const AxisTicks ticks = axis_ticks(axis, 6, most);
  for (std::size_t tick = 0; tick < ticks.values.size(); ++tick) {
    const double y = scale.at(ticks.values[tick]);
    body += fmt::format("<path class=\"axis\" d=\"M{} {}h4\"/>", svg_number(x), svg_number(y)) +
            svg_text(x + 6, y + 4, "label halo", "start", fitted_text(ticks.labels[tick], space));
  }
  return body;
}

// The names of the axes, at their x. The first one begins at the left edge, the last one ends at the right edge.
std::string draw_names(const std::vector<ChartAxis>& axes, const std::vector<double>& places, double width) {
  constexpr double line = 14, gap = 10;
  constexpr double bold = 0.9;  // of the letters of other labels in the same space
  const std::size_t last = axes.size() - 1;
  std::string body;
  for (std::size_t axis = 1; axis < last; ++axis)
    body += svg_text(places[axis], line, "label strong", "middle",
                     fitted_text(axes[axis].label, (places[axis] - places[axis - 1] - gap) * bold));
  // Half of the neighbor's name is in the way.
  const auto space_to = [&](std::size_t neighbor, double distance) {
    const double name = std::min(text_width(axes[neighbor].label) / bold, places[1] - places[0] - gap);
    return bold * (neighbor == 0 || neighbor == last ? distance / 2 : distance - name / 2 - gap);
  };
  body += svg_text(2, line, "label strong", "start", fitted_text(axes.front().label, space_to(1, places[1])));
  return body + svg_text(width - 2, line, "label strong", "end",
                         fitted_text(axes.back().label, space_to(last - 1, width - places[last - 1])));
}

}  // namespace

Drawing draw_parallel(const std::vector<ChartAxis>& axes, const std::vector<ParallelLine>& lines, double width) {
  constexpr double height = 334, top = 34, bottom = 26, left = 14, right = 70;
  const double distance = axes.size() > 1 ? (width - left - right) / static_cast<double>(axes.size() - 1) : 0;
  const double base = height - bottom, none = height - 10;  // the low ends of the axes, and the place without a value
  std::vector<double> places;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) places.push_back(left + distance * static_cast<double>(axis));
  std::vector<Scale> scales;
  for (const ChartAxis& axis : axes) {
    const AxisRange range = axis_range(axis);
    scales.push_back({axis.kind, range.low, range.high, base, top});
  }
  Drawing drawing{"", height};
  std::vector<bool> has_none(axes.size());
  for (const ParallelLine& line : lines) {
    std::string path;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const bool is_missing = std::isnan(line.values[axis]);
      has_none[axis] = has_none[axis] || is_missing;
      const double y = is_missing ? none : std::clamp(scales[axis].at(line.values[axis]), top, base);
      path += fmt::format("{}{} {}", axis == 0 ? "M" : "L", svg_number(places[axis]), svg_number(y));
    }
    drawing.body += fmt::format("<path class=\"line {}\" d=\"{}\">{}</path>", line.classes, path, svg_tip(line.tip));
  }
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const double x = places[axis], space = axis + 1 < axes.size() ? distance - 12 : right - 8;
    drawing.body += draw_axis(axes[axis], scales[axis], x, space);
    if (has_none[axis])
      drawing.body += svg_text(x + 6, none + 4, "label halo", "start", fitted_text("no effect", space));
  }
  drawing.body += draw_names(axes, places, width);
  return drawing;
}

}  // namespace sheaf
