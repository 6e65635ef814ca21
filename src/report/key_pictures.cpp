// SPDX-License-Identifier: MIT
#include "report/key_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/text.hpp"
#include "report/picture_parts.hpp"
#include "report/plot/parallel_axes.hpp"
#include "study/range_value.hpp"

namespace sheaf {
namespace {

bool is_list(const SearchedKey& searched) {
  return searched.sampling == Sampling::list;
}

ChartAxis key_axis(const SearchedKey& searched) {
  if (is_list(searched)) return {searched.key, ScaleKind::linear, {}, searched.candidates};
  return number_axis(searched.key, is_logarithmic(searched.sampling) ? ScaleKind::logarithmic : ScaleKind::linear,
                     {range_number(searched.candidates.front()), range_number(searched.candidates.back())});
}

// The place of a value on key_axis(); NaN without one.
double key_place(const SearchedKey& searched, const std::optional<std::string>& value) {
  if (!value) return not_a_number;
  if (!is_list(searched)) return range_number(*value);
  const auto found = std::find(searched.candidates.begin(), searched.candidates.end(), *value);
  return static_cast<double>(found - searched.candidates.begin());
}

Picture importances(const RunReport& report) {
  const std::string name = "importance", title = "Importance of the keys";
  if (report.objects.size() < 2) return without(name, title, "Importances need at least two trials with a value.");
  std::vector<Bar> bars;
  for (const std::size_t key : report.importance_order()) {
    const ReportedKey& shown = report.keys[key];
    bars.push_back({shown.searched.key, shown.importance, fmt::format("{:.0f} %", 100 * shown.importance), "s0"});
  }
  std::string note =
      "How much each key decides whether a trial is among the best tenth (PED-ANOVA, as in Optuna; adds up to 100 %).";
  if (report.keys.front().share) {
    std::vector<std::string> shares;
    for (const std::size_t key : report.importance_order())
      shares.push_back(fmt::format("{} {:.0f} %", report.keys[key].searched.key, 100 * *report.keys[key].share));
    note += fmt::format(" Shares of the variance of all values: {}{}.", listed(shares, shares.size()),
                        shares.size() > 1 ? "; the rest is their interaction" : "");
  }
  return drawn(name, title, "One bar for each searched key, the most important first.", normal_width,
               draw_bars(bars, normal_width), note);
}

Picture slice(const RunReport& report, std::size_t key, std::size_t number) {
  const SearchedKey& searched = report.keys[key].searched;
  const ValueAxis axis = value_axis(report.value.name, values_of(report));
  Chart chart(normal_width, chart_height, key_axis(searched), axis.axis,
              {{"best tenth of the trials", "s1"}, {"others", "s0"}});
  const std::vector<std::int64_t> ranks = ranks_of(report);
  const std::int64_t best = best_count(report);
  std::vector<Point> points;
  for (std::size_t at = 0; at < report.objects.size(); ++at) {
    Point point{key_place(searched, report.keys[key].values[at]), report.objects[at].value};
    if (is_list(searched)) {  // points of one value side by side
      const double turn = static_cast<double>(report.objects[at].number) * 0.6180339887;
      point.x += (turn - std::floor(turn) - 0.5) * 0.5;
    }
    points.push_back(point);
  }
  const bool is_binned = points.size() > max_marks;
  if (is_binned) chart.add_density(points);
  const auto add = [&](bool are_best) {
    std::int64_t left = static_cast<std::int64_t>(max_marks) / 2;
    for (std::size_t at = 0; at < points.size() && left > 0; ++at) {
      if ((ranks[at] < best) != are_best || is_outside(axis.axis, points[at].y) || !std::isfinite(points[at].x))
        continue;
      chart.add_point(points[at], are_best ? "s1" : "s0",
                      fmt::format("{} = {}; {}", searched.key, *report.keys[key].values[at],
                                  object_text(report, report.objects[at], ranks[at])));
      if (is_binned) --left;
    }
  };
  if (!is_binned) add(false);
  add(true);
  const auto missing = std::count(report.keys[key].values.begin(), report.keys[key].values.end(), std::nullopt);
  std::string note = joined(axis.note, is_binned ? binned_note : "");
  if (missing > 0)
    note =
        joined(note, fmt::format("The key has no effect in {}.", counted(static_cast<std::int64_t>(missing), "trial")));
  return drawn(fmt::format("slice-{}", number), fmt::format("{} and {}", searched.key, report.value.name),
               fmt::format("{} of each trial over its value of {}.", report.value.name, searched.key), chart, note);
}

Picture parallel_coordinates(const RunReport& report) {
  constexpr std::size_t max_axes = 9, max_lines = 400, max_best = 60;
  const std::string name = "parallel", title = "Parallel coordinates";
  if (report.keys.size() < 2) return without(name, title, "Parallel coordinates need at least two searched keys.");
  std::vector<std::size_t> keys = report.importance_order();
  keys.resize(std::min(keys.size(), max_axes));
  const ValueAxis axis = value_axis(report.value.name, values_of(report));
  std::vector<ChartAxis> axes;
  for (const std::size_t key : keys) axes.push_back(key_axis(report.keys[key].searched));
  axes.push_back(axis.axis);
  std::vector<ParallelLine> lines;
  const auto add = [&](std::size_t rank, const std::string& classes) {
    const auto at = static_cast<std::size_t>(report.best_order[rank]);
    ParallelLine line{{}, classes, object_text(report, report.objects[at], static_cast<std::int64_t>(rank))};
    for (const std::size_t key : keys)
      line.values.push_back(key_place(report.keys[key].searched, report.keys[key].values[at]));
    line.values.push_back(report.objects[at].value);
    lines.push_back(std::move(line));
  };
  const std::size_t count = report.objects.size();
  const std::size_t best = std::min(static_cast<std::size_t>(best_count(report)), max_best);
  const auto others = spread_indices(count - best, max_lines - max_best);
  for (auto other = others.rbegin(); other != others.rend(); ++other) add(best + *other, "faint thin");
  for (std::size_t rank = best; rank-- > 0;) add(rank, rank == 0 ? "s1 thick" : "s0");
  std::string note =
      fmt::format("Colored: the best {}; thick: the best one.", counted(static_cast<std::int64_t>(best), "trial"));
  if (count > best + others.size())
    note +=
        fmt::format(" {} of {} are shown.", best + others.size(), counted(static_cast<std::int64_t>(count), "trial"));
  if (keys.size() < report.keys.size()) note += fmt::format(" The {} most important keys are shown.", keys.size());
  return drawn(name, title, "One axis for each searched key and one for the value; each trial is a line.", wide_width,
               draw_parallel(axes, lines, wide_width), note);
}

}  // namespace

std::vector<Picture> key_pictures(const RunReport& report) {
  constexpr std::size_t most = 12;
  std::vector<Picture> pictures = {importances(report)};
  const std::vector<std::size_t> order = report.importance_order();
  for (std::size_t at = 0; at < std::min(order.size(), most); ++at)
    pictures.push_back(slice(report, order[at], at + 1));
  pictures.push_back(parallel_coordinates(report));
  return pictures;
}

}  // namespace sheaf
