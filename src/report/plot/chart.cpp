// SPDX-License-Identifier: MIT
#include "report/plot/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace sheaf {
namespace {

constexpr double label_line = 18, right_margin = 14, tick_space = 6;

bool is_placed(const Point& at) {
  return std::isfinite(at.x) && std::isfinite(at.y);
}

double widest(const std::vector<std::string>& labels) {
  double width = 0;
  for (const auto& label : labels) width = std::max(width, text_width(label));
  return width;
}

}  // namespace

ChartAxis number_axis(const std::string& label, ScaleKind kind, const std::vector<double>& values) {
  return {label, kind, range_of(values, kind), {}};
}

AxisRange axis_range(const ChartAxis& axis) {
  return axis.categories.empty() ? axis.range : AxisRange{-0.5, static_cast<double>(axis.categories.size()) - 0.5};
}

AxisTicks axis_ticks(const ChartAxis& axis, int wanted, std::size_t max_categories) {
  if (axis.categories.empty()) {
    const auto values = ticks_of(axis.kind, axis.range.low, axis.range.high, wanted);
    return {values, tick_labels(values)};
  }
  AxisTicks ticks;
  const std::size_t every = (axis.categories.size() + max_categories - 1) / max_categories;
  for (std::size_t category = 0; category < axis.categories.size(); category += every) {
    ticks.values.push_back(static_cast<double>(category));
    ticks.labels.push_back(axis.categories[category]);
  }
  return ticks;
}

Chart::Chart(double width, double height, ChartAxis x, ChartAxis y, const std::vector<LegendEntry>& legend)
    : x_(std::move(x)), y_(std::move(y)) {
  const Legend drawn = legend_of(legend, 2, label_line, width - 4);
  frame_ = svg_text(2, 13, "label strong", "start", y_.label) + drawn.body;
  up_ = {y_.kind, axis_range(y_).low, axis_range(y_).high, height - 2 * label_line - 4, label_line + drawn.height + 8};
  across_ = {x_.kind, axis_range(x_).low, axis_range(x_).high, 0, width - right_margin};
  frame_ += y_axis();
  frame_ += x_axis(width);
  frame_ += svg_text(across_.end, height - 6, "label strong", "end", x_.label);
}

std::string Chart::y_axis() {
  constexpr double max_label = 130, tick_height = 42;
  const auto rows = static_cast<std::size_t>(std::max(2.0, (up_.begin - up_.end) / 15));
  const int wanted = std::max(2, static_cast<int>((up_.begin - up_.end) / tick_height));
  AxisTicks ticks = axis_ticks(y_, wanted, rows);
  for (auto& label : ticks.labels) label = fitted_text(label, max_label);
  across_.begin = std::min(max_label, widest(ticks.labels)) + 2 * tick_space;
  std::string body;
  for (std::size_t tick = 0; tick < ticks.values.size(); ++tick) {
    const double place = up_.at(ticks.values[tick]);
    body += fmt::format("<path class=\"grid\" d=\"M{} {}H{}\"/>", svg_number(across_.begin), svg_number(place),
                        svg_number(across_.end));
    body += svg_text(across_.begin - tick_space, place + 4, "label", "end", ticks.labels[tick]);
  }
  return body;
}

std::string Chart::x_axis(double width) {
  const double length = across_.end - across_.begin;
  AxisTicks ticks;
  if (x_.categories.empty()) {
    for (int wanted = 8; wanted > 0; --wanted) {
      ticks = axis_ticks(x_, wanted, 0);
      const double needed = (widest(ticks.labels) + 14) * static_cast<double>(ticks.labels.size());
      if (needed <= length + 14) break;
    }
  } else {
    // Names of categories are cut, but not to less than five characters.
    const double least = std::min(widest(x_.categories), text_width("#####")) + 8;
    ticks = axis_ticks(x_, 0, std::max<std::size_t>(2, static_cast<std::size_t>(length / least)));
    const double space = length / static_cast<double>(ticks.labels.size());
    for (auto& label : ticks.labels) label = fitted_text(label, space - 6);
  }
  std::string body = fmt::format("<path class=\"axis\" d=\"M{} {}H{}\"/>", svg_number(across_.begin),
                                 svg_number(up_.begin), svg_number(across_.end));
  for (std::size_t tick = 0; tick < ticks.values.size(); ++tick) {
    const double place = across_.at(ticks.values[tick]);
    body += fmt::format("<path class=\"axis\" d=\"M{} {}v4\"/>", svg_number(place), svg_number(up_.begin));
    const double half = text_width(ticks.labels[tick]) / 2;
    body += svg_text(std::min(std::max(place, half), width - half), up_.begin + label_line - 2, "label", "middle",
                     ticks.labels[tick]);
  }
  return body;
}

std::size_t Chart::columns() const {
  return static_cast<std::size_t>(std::max(1.0, across_.end - across_.begin));
}

void Chart::add_point(Point at, const std::string& classes, const std::string& tip, double radius) {
  const Point place{across_.at(at.x), up_.at(at.y)};
  if (!is_placed(place)) return;
  const std::string title = svg_tip(tip);
  marks_ += fmt::format("<circle class=\"dot {}\" cx=\"{}\" cy=\"{}\" r=\"{}\"", classes, svg_number(place.x),
                        svg_number(place.y), svg_number(radius));
  marks_ += title.empty() ? "/>" : ">" + title + "</circle>";
}

void Chart::add_line(const std::vector<Point>& points, const std::string& classes, const std::string& tip) {
  std::string path;
  bool is_new = true;
  for (const Point& point : thinned_line(points, columns())) {
    const Point place{across_.at(point.x), up_.at(point.y)};
    if (!is_placed(place)) {
      is_new = true;
      continue;
    }
    path += fmt::format("{}{} {}", is_new ? "M" : "L", svg_number(place.x), svg_number(place.y));
    is_new = false;
  }
  if (!path.empty()) marks_ += fmt::format("<path class=\"line {}\" d=\"{}\">{}</path>", classes, path, svg_tip(tip));
}

void Chart::add_steps(const std::vector<Point>& points, const std::string& classes, const std::string& tip) {
  std::vector<Point> steps;
  for (const Point& point : points) {
    if (!steps.empty()) steps.push_back({point.x, steps.back().y});
    steps.push_back(point);
  }
  add_line(steps, classes, tip);
}

void Chart::add_density(const std::vector<Point>& points) {
  constexpr double cell = 6;
  std::vector<Point> places;
  for (const Point& point : points) places.push_back({across_.at(point.x), up_.at(point.y)});
  const double width = across_.end - across_.begin, height = up_.begin - up_.end;
  const auto columns = static_cast<std::size_t>(width / cell), rows = static_cast<std::size_t>(height / cell);
  const DensityGrid grid = density_of(places, {across_.begin, up_.end}, {across_.end, up_.begin}, columns, rows);
  const auto most = static_cast<double>(*std::max_element(grid.counts.begin(), grid.counts.end()));
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column) {
      const auto count = grid.counts[row * columns + column];
      if (count == 0) continue;
      const double share = std::log1p(static_cast<double>(count)) / std::log1p(most);
      marks_ += fmt::format(
          "<rect class=\"cell\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill-opacity=\"{:.2f}\">"
          "<title>{}</title></rect>",
          svg_number(across_.begin + double(column) * width / double(columns)),
          svg_number(up_.end + double(row) * height / double(rows)), svg_number(width / double(columns)),
          svg_number(height / double(rows)), 0.1 + 0.65 * share, count);
    }
}

}  // namespace sheaf
