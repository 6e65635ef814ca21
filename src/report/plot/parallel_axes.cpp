// SPDX-License-Identifier: MIT
#include "report/plot/parallel_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sheaf {

Drawing draw_parallel(const std::vector<ChartAxis>& axes, const std::vector<ParallelLine>& lines, double width) {
  constexpr double height = 320, top = 34, bottom = 12, left = 14, right = 70;
  Drawing drawing{"", height};
  const double distance = axes.size() > 1 ? (width - left - right) / static_cast<double>(axes.size() - 1) : 0;
  std::vector<Scale> scales;
  for (const ChartAxis& axis : axes) {
    const AxisRange range =
        axis.categories.empty() ? axis.range : AxisRange{-0.5, static_cast<double>(axis.categories.size()) - 0.5};
    scales.push_back({axis.kind, range.low, range.high, height - bottom, top});
  }
  const auto place_of = [&](std::size_t axis) { return left + distance * static_cast<double>(axis); };
  for (const ParallelLine& line : lines) {
    std::string path;
    bool is_new = true;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const double y = scales[axis].at(line.values[axis]);
      if (!std::isfinite(y)) {
        is_new = true;
        continue;
      }
      path += fmt::format("{}{} {}", is_new ? "M" : "L", svg_number(place_of(axis)), svg_number(y));
      is_new = false;
    }
    drawing.body += fmt::format("<path class=\"line {}\" d=\"{}\">{}</path>", line.classes, path, svg_tip(line.tip));
  }
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const double x = place_of(axis);
    drawing.body += fmt::format("<path class=\"axis\" d=\"M{} {}V{}\"/>", svg_number(x), svg_number(top),
                                svg_number(height - bottom));
    // The first name begins at the edge, the last one ends there, the others are above their axis.
    const bool is_first = axis == 0, is_last = axis + 1 == axes.size();
    drawing.body += svg_text(is_first  ? 2
                             : is_last ? width - 2
                                       : x,
                             14, "label strong",
                             is_first  ? "start"
                             : is_last ? "end"
                                       : "middle",
                             fitted_text(axes[axis].label, (is_first ? distance / 2 + left : distance) - 8));
    std::vector<double> ticks;
    std::vector<std::string> labels;
    if (axes[axis].categories.empty()) {
      ticks = ticks_of(axes[axis].kind, axes[axis].range.low, axes[axis].range.high, 6);
      labels = tick_labels(ticks);
    } else {
      constexpr std::size_t most = 18;
      const std::size_t every = (axes[axis].categories.size() + most - 1) / most;
      for (std::size_t category = 0; category < axes[axis].categories.size(); category += every) {
        ticks.push_back(static_cast<double>(category));
        labels.push_back(axes[axis].categories[category]);
      }
    }
    const double space = axis + 1 < axes.size() ? distance - 12 : right - 8;
    for (std::size_t tick = 0; tick < ticks.size(); ++tick) {
      const double y = scales[axis].at(ticks[tick]);
      drawing.body += fmt::format("<path class=\"axis\" d=\"M{} {}h4\"/>", svg_number(x), svg_number(y)) +
                      svg_text(x + 6, y + 4, "label halo", "start", fitted_text(labels[tick], space));
    }
  }
  return drawing;
}

}  // namespace sheaf
