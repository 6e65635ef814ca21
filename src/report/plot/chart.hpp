// A chart with two axes. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/plot/picture.hpp"
#include "report/plot/scale.hpp"
#include "report/plot/thinning.hpp"

namespace sheaf {

/// An axis with a scale, or with categories: the values 0, 1, ... are in the middle of equal parts.
struct ChartAxis {
  std::string label;
  ScaleKind kind = ScaleKind::linear;
  AxisRange range{};
  std::vector<std::string> categories{};  ///< their names; empty: a scale
};

/// An axis of numbers, with room for all `values`.
ChartAxis number_axis(const std::string& label, ScaleKind kind, const std::vector<double>& values);

/// The range of an axis, also of one with categories.
AxisRange axis_range(const ChartAxis& axis);

/// The values of ticks and their labels.
struct AxisTicks {
  std::vector<double> values;
  std::vector<std::string> labels;
};

/// About `wanted` ticks of a scale; of categories every one, every second and so on, at most `max_categories`.
AxisTicks axis_ticks(const ChartAxis& axis, int wanted, std::size_t max_categories);

/// Collects marks, which later ones cover. Classes are those of the style sheet.
class Chart {
 public:
  /// `legend`: shown above the marks.
  Chart(double width, double height, ChartAxis x, ChartAxis y, const std::vector<LegendEntry>& legend = {});

  /// A point with a text that is shown when a pointer is over it. Points whose place is not finite are left out, here
  /// and in lines.
  void add_point(Point at, const std::string& classes, const std::string& tip = "", double radius = 3);
  /// A line through points with ascending x. A point that is not finite interrupts it.
  void add_line(const std::vector<Point>& points, const std::string& classes, const std::string& tip = "");
  /// A line that keeps the y of a point up to the next one.
  void add_steps(const std::vector<Point>& points, const std::string& classes, const std::string& tip = "");
  /// Cells that are the darker the more points they have.
  void add_density(const std::vector<Point>& points);
  /// The number of parts of the x axis that can be told apart.
  std::size_t columns() const;
  /// The axes with all marks. The height is that of the chart.
  std::string body() const { return frame_ + marks_; }

 private:
  std::string x_axis(double width);
  std::string y_axis();

  ChartAxis x_, y_;
  Scale across_, up_;
  std::string frame_, marks_;
};

}  // namespace sheaf
