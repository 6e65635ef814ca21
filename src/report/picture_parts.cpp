// SPDX-License-Identifier: MIT
#include "report/picture_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace sheaf {

Picture without(const std::string& name, const std::string& title, const std::string& why) {
  return {name, title, "", normal_width, 0, "", why};
}

Picture drawn(const std::string& name, const std::string& title, const std::string& description, double width,
              const Drawing& drawing, const std::string& note) {
  return {name, title, description, width, drawing.height, drawing.body, note};
}

Picture drawn(const std::string& name, const std::string& title, const std::string& description, const Chart& chart,
              const std::string& note) {
  return {name, title, description, normal_width, chart_height, chart.body(), note};
}

ValueAxis value_axis(const std::string& label, const std::vector<double>& values) {
  constexpr std::size_t few = 20;  // of so few values, none is left out
  std::vector<double> sorted;
  std::copy_if(values.begin(), values.end(), std::back_inserter(sorted), [](double v) { return std::isfinite(v); });
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty()) return {number_axis(label, ScaleKind::linear, sorted), ""};
  const bool is_log = sorted.front() > 0 && sorted.back() / sorted.front() > 20;
  const auto on_scale = [&](double value) { return is_log ? std::log(value) : value; };
  const auto quantile = [&](double share) {
    return on_scale(sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))]);
  };
  const double low = quantile(0.05), high = quantile(0.95), spread = high - low;
  std::vector<double> shown = sorted;
  if (sorted.size() >= few && spread > 0 && on_scale(sorted.back()) - on_scale(sorted.front()) > 6 * spread)
    shown.erase(std::remove_if(shown.begin(), shown.end(),
                               [&](double value) {
                                 return on_scale(value) < low - 2 * spread || on_scale(value) > high + 2 * spread;
                               }),
                shown.end());
  ValueAxis axis{number_axis(label, is_log ? ScaleKind::logarithmic : ScaleKind::linear, shown), ""};
  if (const auto outside = static_cast<std::int64_t>(sorted.size() - shown.size()); outside > 0)
    axis.note = fmt::format("{} far from the others {} outside the picture.", counted(outside, "value"),
                            outside == 1 ? "is" : "are");
  return axis;
}

bool is_outside(const ChartAxis& axis, double value) {
  return !std::isfinite(value) || value < axis.range.low || value > axis.range.high;
}

std::vector<double> values_of(const RunReport& report) {
  std::vector<double> values;
  for (const RankedObject& object : report.objects) values.push_back(object.value);
  return values;
}

std::vector<std::int64_t> ranks_of(const RunReport& report) {
  std::vector<std::int64_t> ranks(report.objects.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    ranks[static_cast<std::size_t>(report.best_order[rank])] = static_cast<std::int64_t>(rank);
  return ranks;
}

std::int64_t best_count(const RunReport& report) {
  return std::max<std::int64_t>(1, (static_cast<std::int64_t>(report.objects.size()) + 9) / 10);
}

std::string object_text(const RunReport& report, const RankedObject& object, std::int64_t rank) {
  return fmt::format("{} {}, rank {}: {} {}", report.object_name(), object.number, rank + 1, report.value.name,
                     value_text_of(report.value, object.value));
}

std::string joined(const std::string& one, const std::string& other) {
  return one.empty() || other.empty() ? one + other : one + " " + other;
}

}  // namespace sheaf
