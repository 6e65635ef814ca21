// SPDX-License-Identifier: MIT
#include "report/history_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "report/picture_parts.hpp"
#include "report/plot/timeline.hpp"

namespace sheaf {
namespace {

// The best value up to each object.
std::vector<Point> best_so_far_points(const RunReport& report, const std::vector<double>& places) {
  std::vector<Point> points;
  for (std::size_t at = 0; at < places.size(); ++at) {
    const double value = report.objects[at].value;
    const bool is_better =
        points.empty() || (report.value.larger_is_better ? value > points.back().y : value < points.back().y);
    if (is_better) points.push_back({places[at], value});
  }
  if (!points.empty() && points.back().x < places.back()) points.push_back({places.back(), points.back().y});
  return points;
}

Picture history(const RunReport& report, const std::string& name, const std::string& title,
                const std::vector<double>& places, const std::string& x_label) {
  const ValueAxis axis = value_axis(report.value.name, values_of(report));
  Chart chart(normal_width, chart_height, number_axis(x_label, ScaleKind::linear, places), axis.axis,
              {{"best so far", "s1"}, {fmt::format("each {}", report.object_name()), "s0"}});
  const std::vector<std::int64_t> ranks = ranks_of(report);
  std::vector<Point> points;
  for (std::size_t at = 0; at < places.size(); ++at) points.push_back({places[at], report.objects[at].value});
  const bool is_binned = points.size() > max_marks;
  if (is_binned) {
    chart.add_density(points);
  } else {
    for (std::size_t at = 0; at < points.size(); ++at)
      if (!is_outside(axis.axis, points[at].y))
        chart.add_point(points[at], "s0", object_text(report, report.objects[at], ranks[at]));
  }
  std::vector<Point> best = best_so_far_points(report, places);
  best.erase(std::remove_if(best.begin(), best.end(), [&](const Point& p) { return is_outside(axis.axis, p.y); }),
             best.end());
  chart.add_steps(best, "s1 thick", "best so far");
  return drawn(name, title,
               fmt::format("{} of each {} and the best one so far, over {}. The best one is {}.", report.value.name,
                           report.object_name(), x_label, value_text_of(report.value, report.best().value)),
               chart, joined(axis.note, is_binned ? binned_note : ""));
}

Picture fold_spread(const RunReport& report) {
  constexpr std::size_t shown = 12;
  const std::string name = "folds", title = "Spread of folds";
  if (!report.is_search() || report.run.plan.folds() * report.run.plan.repeats() < 2)
    return without(name, title, "There are no folds: search.folds and search.repeats show how much values vary.");
  const std::vector<TrialSummary>& trials = report.results->trials;
  std::vector<std::vector<double>> folds;
  std::vector<std::string> names;
  std::vector<double> all;
  for (std::size_t rank = 0; rank < std::min(shown, trials.size()); ++rank) {
    folds.push_back(report.fold_values(trials[rank]));
    names.push_back(fmt::format("trial {}", trials[rank].trial));
    all.insert(all.end(), folds.back().begin(), folds.back().end());
  }
  std::reverse(names.begin(), names.end());  // the best one is at the top
  const ValueAxis axis = value_axis(report.value.name, all);
  Chart chart(normal_width, chart_height, axis.axis, {"best trials", ScaleKind::linear, {}, names},
              {{"fold", "s0"}, {"mean", "s1"}});
  for (std::size_t rank = 0; rank < folds.size(); ++rank) {
    const double row = static_cast<double>(folds.size() - 1 - rank);
    for (const double value : folds[rank])
      if (!is_outside(axis.axis, value))
        chart.add_point({value, row}, "s0",
                        fmt::format("trial {}: {}", trials[rank].trial, value_text_of(report.value, value)));
    const double mean = value_of(report.value, trials[rank]);
    if (!is_outside(axis.axis, mean))
      chart.add_point({mean, row}, "s1",
                      fmt::format("trial {}, mean: {}", trials[rank].trial, value_text_of(report.value, mean)), 5);
  }
  return drawn(name, title,
               fmt::format("{} of the best trials in each fold, and their means. Trials whose folds overlap widely "
                           "cannot be told apart.",
                           report.value.name),
               chart, axis.note);
}

}  // namespace

std::vector<Picture> history_pictures(const RunReport& report) {
  const std::string objects = std::string(report.object_name()) + "s";
  if (report.objects.size() < 2) {
    std::vector<Picture> pictures = {
        without("history", "History", fmt::format("A history needs at least two {} with a finite value.", objects))};
    if (!report.objects.empty()) pictures.push_back(fold_spread(report));
    return pictures;
  }
  std::vector<double> numbers, ends;
  const TimeUnit unit = time_unit(report.timeline.end());
  for (std::size_t at = 0; at < report.objects.size(); ++at) {
    numbers.push_back(static_cast<double>(at + 1));
    ends.push_back(report.objects[at].end / unit.seconds);
  }
  return {history(report, "history", fmt::format("Best so far over {}", objects), numbers,
                  objects + " in the order of their ends"),
          history(report, "history-time", "Best so far over time", ends, unit.name), fold_spread(report)};
}

Picture compared_histories(const std::vector<RunReport>& reports) {
  const std::string name = "histories", title = "Best so far over time";
  std::vector<double> values, ends;
  double last = 0;
  for (const RunReport& report : reports) {
    last = std::max(last, report.timeline.end());
    if (report.value.name != reports.front().value.name)
      return without(name, title, "The runs are ranked by different values, so their histories cannot be compared.");
  }
  const TimeUnit unit = time_unit(last);
  std::vector<std::vector<Point>> lines;
  std::vector<LegendEntry> legend;
  for (const RunReport& report : reports) {
    std::vector<double> places;
    for (const RankedObject& object : report.objects) places.push_back(object.end / unit.seconds);
    lines.push_back(places.empty() ? std::vector<Point>{} : best_so_far_points(report, places));
    for (const Point& point : lines.back()) {
      values.push_back(point.y);
      ends.push_back(point.x);
    }
    legend.push_back({printable(report.run.directory), series_class(lines.size() - 1)});
  }
  if (values.empty()) return without(name, title, "No run has a value yet.");
  const ValueAxis axis = value_axis(reports.front().value.name, values);
  Chart chart(wide_width, chart_height + 60, number_axis(unit.name, ScaleKind::linear, ends), axis.axis, legend);
  for (std::size_t line = 0; line < lines.size(); ++line)
    chart.add_steps(lines[line], series_class(line) + " thick", legend[line].text);
  Picture picture =
      drawn(name, title, "The best value so far of each run over the time of its jobs.", chart, axis.note);
  picture.width = wide_width;
  picture.height = chart_height + 60;
  return picture;
}

}  // namespace sheaf
