// SPDX-License-Identifier: MIT
#include "report/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/text.hpp"
#include "report/plot/bars.hpp"
#include "report/plot/chart.hpp"
#include "report/plot/parallel_axes.hpp"
#include "report/plot/timeline.hpp"
#include "study/range_value.hpp"

namespace sheaf {
namespace {

constexpr double normal_width = 420, wide_width = 900, chart_height = 270;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Picture without(const std::string& name, const std::string& title, const std::string& why) {
  return {name, title, "", normal_width, 0, "", why};
}

Picture drawn(const std::string& name, const std::string& title, const std::string& description, double width,
              const Drawing& drawing, const std::string& note = "") {
  return {name, title, description, width, drawing.height, drawing.body, note};
}

Picture drawn(const std::string& name, const std::string& title, const std::string& description, const Chart& chart,
              const std::string& note = "") {
  return {name, title, description, normal_width, chart_height, chart.body(), note};
}

// The axis of values: logarithmic for positive values of very different sizes. If some are far from the others, they
// are outside.
struct ValueAxis {
  ChartAxis axis;
  std::int64_t outside = 0;
  std::string note;
};

ValueAxis value_axis(const std::string& label, const std::vector<double>& values) {
  constexpr std::size_t few = 20;  // of so few values, none is left out
  std::vector<double> sorted;
  std::copy_if(values.begin(), values.end(), std::back_inserter(sorted), [](double v) { return std::isfinite(v); });
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty()) return {number_axis(label, ScaleKind::linear, sorted), 0, ""};
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
  ValueAxis axis{number_axis(label, is_log ? ScaleKind::logarithmic : ScaleKind::linear, shown),
                 static_cast<std::int64_t>(sorted.size() - shown.size()), ""};
  if (axis.outside > 0)
    axis.note = fmt::format("{} far from the others {} outside the picture.", counted(axis.outside, "value"),
                            axis.outside == 1 ? "is" : "are");
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

// The rank of each object, 0 is best.
std::vector<std::int64_t> ranks_of(const RunReport& report) {
  std::vector<std::int64_t> ranks(report.objects.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    ranks[static_cast<std::size_t>(report.best_order[rank])] = static_cast<std::int64_t>(rank);
  return ranks;
}

// The number of objects that are shown as the best ones: a tenth, at least one.
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

const char* binned_note = "There are more than 2000 points: cells are the darker the more points they have.";

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

// ---- Keys

bool is_logarithmic(const SearchedKey& searched) {
  return searched.sampling == Sampling::log_uniform || searched.sampling == Sampling::log_integer;
}

bool is_list(const SearchedKey& searched) {
  return searched.sampling == Sampling::list;
}

ChartAxis key_axis(const SearchedKey& searched) {
  if (is_list(searched)) return {searched.key, ScaleKind::linear, {}, searched.candidates};
  return number_axis(searched.key, is_logarithmic(searched) ? ScaleKind::logarithmic : ScaleKind::linear,
                     {range_number(searched.candidates.front()), range_number(searched.candidates.back())});
}

// The place of a value on key_axis(); NaN without one.
double key_place(const SearchedKey& searched, const std::optional<std::string>& value) {
  if (!value) return not_a_number;
  if (!is_list(searched)) return range_number(*value);
  const auto found = std::find(searched.candidates.begin(), searched.candidates.end(), *value);
  return static_cast<double>(found - searched.candidates.begin());
}

// The keys, the most important first.
std::vector<std::size_t> keys_by_importance(const RunReport& report) {
  std::vector<std::size_t> order(report.keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return report.keys[a].importance > report.keys[b].importance; });
  return order;
}

Picture importances(const RunReport& report) {
  const std::string name = "importance", title = "Importance of the keys";
  if (report.objects.size() < 2) return without(name, title, "Importances need at least two trials with a value.");
  std::vector<Bar> bars;
  for (const std::size_t key : keys_by_importance(report)) {
    const ReportedKey& shown = report.keys[key];
    bars.push_back({shown.searched.key, shown.importance, fmt::format("{:.0f} %", 100 * shown.importance), "s0"});
  }
  std::string note =
      "How much each key decides whether a trial is among the best tenth (PED-ANOVA, as in Optuna; adds up to 100 %).";
  if (report.keys.front().share) {
    std::vector<std::string> shares;
    for (const std::size_t key : keys_by_importance(report))
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
  std::vector<std::size_t> keys = keys_by_importance(report);
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
    const double value = report.objects[at].value;
    line.values.push_back(is_outside(axis.axis, value) ? not_a_number : value);
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
               draw_parallel(axes, lines, wide_width), joined(note, axis.note));
}

// ---- Learning curves

Picture learning_curves(const RunReport& report) {
  const std::string name = "curves", title = "Learning curves";
  if (report.curves.empty())
    return without(name, title,
                   report.run.study.run.curves.value_or(false)
                       ? "No training has finished an epoch yet."
                       : "The run has no losses of epochs: --run.curves=true stores them.");
  const bool has_validation = std::any_of(report.curves.begin(), report.curves.end(), [](const LearningCurve& curve) {
    return std::any_of(curve.validation_loss.begin(), curve.validation_loss.end(),
                       [](double v) { return std::isfinite(v); });
  });
  std::vector<double> losses, epochs;
  for (const LearningCurve& curve : report.curves) {
    const auto& shown = has_validation ? curve.validation_loss : curve.training_loss;
    losses.insert(losses.end(), shown.begin(), shown.end());
    epochs.insert(epochs.end(), curve.epochs.begin(), curve.epochs.end());
  }
  const LearningCurve& best = report.curves.front();
  if (has_validation) losses.insert(losses.end(), best.training_loss.begin(), best.training_loss.end());
  const ValueAxis axis = value_axis(has_validation ? "mean validation loss" : "training loss", losses);
  std::vector<LegendEntry> legend;
  for (const LearningCurve& curve : report.curves)
    if (curve.rank <= 5)
      legend.push_back({fmt::format("{} {}", report.object_name(), curve.number),
                        series_class(static_cast<std::size_t>(curve.rank) - 1)});
  if (has_validation) legend.push_back({"dashed: training loss of the best", series_class(0)});
  Chart chart(wide_width, chart_height, number_axis("epochs", ScaleKind::linear, epochs), axis.axis, legend);
  const auto add = [&](const LearningCurve& curve, const std::vector<double>& shown, const std::string& classes,
                       const std::string& what) {
    std::vector<Point> points;
    for (std::size_t at = 0; at < shown.size(); ++at)
      if (std::isfinite(shown[at]))  // validations may be rarer than epochs
        points.push_back({curve.epochs[at], is_outside(axis.axis, shown[at]) ? not_a_number : shown[at]});
    if (points.size() == 1) chart.add_point(points.front(), classes, what);
    chart.add_line(points, classes, what);
  };
  for (auto curve = report.curves.rbegin(); curve != report.curves.rend(); ++curve) {
    const bool is_best = curve->rank <= 5;
    const std::string color = is_best ? series_class(static_cast<std::size_t>(curve->rank) - 1) : "faint thin";
    add(*curve, has_validation ? curve->validation_loss : curve->training_loss,
        curve->rank == 1 ? color + " thick" : color,
        fmt::format("{} {}, rank {}", report.object_name(), curve->number, curve->rank));
  }
  if (has_validation) add(best, best.training_loss, series_class(0) + " dashed", "training loss of the best");
  std::string note;
  if (static_cast<std::int64_t>(report.curves.size()) < report.curve_count)
    note = fmt::format("{} of {} curves are shown: the best five, and others from all ranks.", report.curves.size(),
                       report.curve_count);
  Picture picture =
      drawn(name, title,
            fmt::format("The loss after each epoch, for each {} the mean over its trainings.", report.object_name()),
            chart, joined(note, axis.note));
  picture.width = wide_width;
  return picture;
}

// ---- Predictions

Picture confusion(const RunReport& report, const HeldOutRows& rows) {
  constexpr std::size_t most = 40;
  const std::string name = "confusion", title = "Confusion matrix";
  if (rows.outputs > most)
    return without(name, title,
                   fmt::format("There are {} classes; a picture has room for {}. The table below has all of them.",
                               rows.outputs, most));
  std::vector<std::string> names;
  for (std::size_t number = 0; number < rows.outputs; ++number) names.push_back(class_name(report, number));
  return drawn(name, title, "The number of rows for each class and predicted class.", normal_width,
               draw_counts(names, confusion_counts(rows), "class", "predicted class", normal_width),
               "Cells are shaded by their share of the rows of their class.");
}

// The outputs whose curves are shown: class 1 of two classes; otherwise those with the smallest area, at most eight.
struct ShownCurves {
  std::vector<std::size_t> outputs;
  std::vector<DecisionCurve> curves;
  std::string note;
};

ShownCurves shown_curves(const HeldOutRows& rows, DecisionCurve (*curve_of)(const HeldOutRows&, std::size_t)) {
  constexpr std::size_t most = 8, most_outputs = 200;
  ShownCurves shown;
  const bool is_binary = rows.kind == HeldOutRows::Kind::classes && rows.outputs == 2;
  std::vector<std::pair<std::size_t, DecisionCurve>> all;
  for (std::size_t output = is_binary ? 1 : 0; output < std::min(rows.outputs, most_outputs); ++output)
    if (DecisionCurve curve = curve_of(rows, output); std::isfinite(curve.area))
      all.emplace_back(output, std::move(curve));
  if (all.size() > most) {
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.second.area < b.second.area; });
    shown.note = fmt::format("The {} classes with the smallest areas, of {}, are shown.", most, rows.outputs);
    all.resize(most);
  }
  for (auto& [output, curve] : all) {
    shown.outputs.push_back(output);
    shown.curves.push_back(std::move(curve));
  }
  return shown;
}

Picture decision_curves(const RunReport& report, const HeldOutRows& rows, const std::string& name,
                        const std::string& title, DecisionCurve (*curve_of)(const HeldOutRows&, std::size_t),
                        const std::string& x_label, const std::string& y_label, const std::string& area) {
  const ShownCurves shown = shown_curves(rows, curve_of);
  if (shown.curves.empty()) return without(name, title, "The curve needs rows of a class and of others.");
  std::vector<LegendEntry> legend;
  for (std::size_t at = 0; at < shown.outputs.size(); ++at)
    legend.push_back({fmt::format("{} ({} {:.4f})", class_name(report, shown.outputs[at]), area, shown.curves[at].area),
                      series_class(at)});
  Chart chart(normal_width, chart_height + 40, {x_label, ScaleKind::linear, {-0.02, 1.02}, {}},
              {y_label, ScaleKind::linear, {-0.02, 1.02}, {}}, legend);
  for (std::size_t at = 0; at < shown.curves.size(); ++at)
    chart.add_line(shown.curves[at].points, series_class(at), legend[at].text);
  Picture picture = drawn(name, title, fmt::format("{} over {}, for each class against all others.", y_label, x_label),
                          chart, shown.note);
  picture.height = chart_height + 40;
  return picture;
}

Picture reliability(const HeldOutRows& rows) {
  const std::string name = "reliability", title = "Reliability";
  if (!rows.has_probabilities)
    return without(name, title, "The loss gives no probabilities: train.loss = cross_entropy and bce do.");
  const bool are_labels = rows.kind == HeldOutRows::Kind::labels;
  Chart chart(normal_width, chart_height,
              {are_labels ? "mean probability" : "mean probability of the predicted class",
               ScaleKind::linear,
               {-0.02, 1.02},
               {}},
              {are_labels ? "share of rows with the label" : "accuracy", ScaleKind::linear, {-0.02, 1.02}, {}},
              {{"perfect", "faint"}, {"held-out rows (larger: more rows)", "s0"}});
  chart.add_line({{0, 0}, {1, 1}}, "faint dashed");
  const std::vector<ReliabilityBin> bins = reliability_bins(rows);
  std::int64_t all = 0;
  for (const ReliabilityBin& bin : bins) all += bin.rows;
  std::vector<Point> line;
  for (const ReliabilityBin& bin : bins)
    if (bin.rows > 0) line.push_back({bin.confidence, bin.accuracy});
  chart.add_line(line, "s0");
  for (const ReliabilityBin& bin : bins)
    if (bin.rows > 0)
      chart.add_point(
          {bin.confidence, bin.accuracy}, "s0",
          fmt::format("{}: probability {:.3f}, true in {:.3f}", counted(bin.rows, "row"), bin.confidence, bin.accuracy),
          3 + 7 * std::sqrt(static_cast<double>(bin.rows) / static_cast<double>(all)));
  return drawn(name, title, "How often predictions are right, over their probability, in 15 bins.", chart,
               "Below the dashed line, the model is too confident.");
}

Picture predicted_values(const RunReport& report, const HeldOutRows& rows, std::size_t output) {
  std::vector<Point> points;
  std::vector<double> all;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    points.push_back({rows.targets[row * rows.outputs + output], rows.prediction(row, output)});
    all.push_back(points.back().x);
    all.push_back(points.back().y);
  }
  const ValueAxis axis = value_axis("predicted", all);
  const AxisRange range = range_of(all, ScaleKind::linear);
  ChartAxis x{"true value", ScaleKind::linear, axis.axis.kind == ScaleKind::linear ? axis.axis.range : range, {}};
  ChartAxis y = x;
  y.label = "predicted value";
  Chart chart(normal_width, chart_height, x, y, {{"perfect", "faint"}, {"held-out rows", "s0"}});
  const bool is_binned = points.size() > max_marks;
  if (is_binned)
    chart.add_density(points);
  else
    for (const Point& point : points)
      if (!is_outside(x, point.x) && !is_outside(y, point.y))
        chart.add_point(point, "s0", fmt::format("true {}, predicted {}", short_number(point.x), short_number(point.y)),
                        2.5);
  chart.add_line({{x.range.low, x.range.low}, {x.range.high, x.range.high}}, "faint dashed");
  const std::string target = rows.outputs > 1 ? fmt::format(" of {}", class_name(report, output)) : "";
  return drawn(fmt::format("predicted-{}", output), fmt::format("Predicted and true values{}", target),
               "Each held-out row: its true value and the prediction.", chart,
               joined(is_binned ? binned_note : "", axis.note));
}

std::vector<Picture> predictions(const RunReport& report) {
  if (!report.held_out)
    return {without("predictions", "Held-out predictions",
                    report.no_held_out.empty() ? "There are no predictions for held-out rows." : report.no_held_out)};
  const HeldOutRows& rows = *report.held_out;
  if (rows.kind == HeldOutRows::Kind::values) {
    constexpr std::size_t most = 4;
    std::vector<Picture> pictures;
    for (std::size_t output = 0; output < std::min(rows.outputs, most); ++output)
      pictures.push_back(predicted_values(report, rows, output));
    return pictures;
  }
  std::vector<Picture> pictures;
  if (rows.kind == HeldOutRows::Kind::classes) pictures.push_back(confusion(report, rows));
  pictures.push_back(reliability(rows));
  pictures.push_back(decision_curves(report, rows, "roc", "ROC curves", roc_curve, "false positive rate",
                                     "true positive rate", "area"));
  pictures.push_back(decision_curves(report, rows, "precision-recall", "Precision and recall", precision_recall_curve,
                                     "recall", "precision", "AP"));
  return pictures;
}

// ---- Time

std::string status_class(IterationStatus status) {
  switch (status) {
    case IterationStatus::finished:
      return "s0";
    case IterationStatus::diverged:
      return "s1";
    case IterationStatus::failed:
      return "s3";
    default:
      return "faint";
  }
}

// The rows of the picture: lanes, or ranks if there are many lanes, or groups of ranks.
struct ShownRows {
  std::vector<std::string> names;
  std::vector<std::size_t> row_of;  // by row of the timeline
  std::vector<double> lanes;        // rows of the timeline in each
};

ShownRows shown_rows(const Timeline& timeline) {
  constexpr std::size_t most = 48;
  ShownRows shown;
  std::int32_t ranks = 0;
  for (const TimelineRow& row : timeline.rows) ranks = std::max(ranks, row.rank + 1);
  const bool has_ranks = ranks > 1;
  const bool by_lane = timeline.rows.size() <= most;
  const std::int32_t per_group =
      std::max<std::int32_t>(1, (ranks + static_cast<std::int32_t>(most) - 1) / static_cast<std::int32_t>(most));
  const bool by_rank = !by_lane && has_ranks;
  const std::size_t lanes_per_group = by_lane || by_rank ? 1 : (timeline.rows.size() + most - 1) / most;
  std::map<std::size_t, std::size_t> places;
  for (std::size_t at = 0; at < timeline.rows.size(); ++at) {
    const TimelineRow& row = timeline.rows[at];
    const std::size_t group = by_lane   ? at
                              : by_rank ? static_cast<std::size_t>(row.rank / per_group)
                                        : at / lanes_per_group;
    const auto [place, is_new] = places.emplace(group, shown.names.size());
    if (is_new) {
      std::string name = fmt::format("lane {}", row.lane);
      if (by_lane && has_ranks) name = fmt::format("rank {} lane {}", row.rank, row.lane);
      if (by_lane && row.part > 0) name = fmt::format("  model {}", row.part);
      if (by_rank) name = per_group > 1 ? fmt::format("ranks {}..", row.rank) : fmt::format("rank {}", row.rank);
      if (!by_lane && !by_rank) name += "..";
      shown.names.push_back(name);
      shown.lanes.push_back(0);
    }
    shown.row_of.push_back(place->second);
    shown.lanes[place->second] += 1;
  }
  return shown;
}

// Bins with the share of their time in which the lanes of a row worked.
std::vector<TimeSpan> binned_spans(const Timeline& timeline, const ShownRows& shown) {
  const std::size_t bins = std::clamp<std::size_t>(max_marks / std::max<std::size_t>(1, shown.names.size()), 40, 400);
  const double end = timeline.end(), width = end / static_cast<double>(bins);
  std::vector<double> busy(shown.names.size() * bins);
  for (const TrainedSpan& span : timeline.spans) {
    const std::size_t row = shown.row_of[span.row];
    for (auto bin = static_cast<std::size_t>(span.begin / width); bin < bins; ++bin) {
      const double begin = std::max(span.begin, static_cast<double>(bin) * width);
      const double until = std::min(span.end, static_cast<double>(bin + 1) * width);
      if (until <= begin) break;
      busy[row * bins + bin] += until - begin;
    }
  }
  std::vector<TimeSpan> spans;
  for (std::size_t row = 0; row < shown.names.size(); ++row)
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const double share = busy[row * bins + bin] / (width * shown.lanes[row]);
      const auto level = static_cast<int>(std::ceil(10 * std::min(1.0, share) - 1e-9));
      if (level > 0)
        spans.push_back({row, static_cast<double>(bin) * width, static_cast<double>(bin + 1) * width,
                         fmt::format("s0 busy{}", level), fmt::format("busy for {:.0f} % of the time", 100 * share)});
    }
  return spans;
}

Picture timeline(const RunReport& report) {
  const Timeline& all = report.timeline;
  const std::string name = "timeline", title = "Timeline of the lanes";
  if (all.spans.empty()) return without(name, title, "No training has ended yet.");
  const ShownRows shown = shown_rows(all);
  std::vector<TimeMark> marks;
  std::size_t trained_jobs = 0;
  for (std::size_t job = 0; job < all.jobs.size(); ++job) {
    if (all.jobs[job].lanes == 0) continue;
    if (++trained_jobs > 1) marks.push_back({all.jobs[job].begin, fmt::format("job {}", job + 1)});
  }
  const bool is_binned = all.spans.size() > max_marks || shown.names.size() < all.rows.size();
  std::vector<TimeSpan> spans;
  std::vector<LegendEntry> legend;
  if (is_binned) {
    spans = binned_spans(all, shown);
    legend = {{"trains (paler: only a part of the time)", "s0"}, {"no training", "lane"}};
  } else {
    std::map<IterationStatus, bool> statuses;
    for (const TrainedSpan& span : all.spans) {
      const Iteration iteration = report.run.plan.iteration(span.iteration);
      statuses[span.status] = true;
      spans.push_back({span.row, span.begin, span.end, status_class(span.status),
                       fmt::format("iteration {} (trial {}): {}, {}", span.iteration, iteration.trial,
                                   status_name(span.status), human_seconds(span.end - span.begin))});
    }
    for (const auto& [status, is_there] : statuses) legend.push_back({status_name(status), status_class(status)});
    legend.push_back({"no training", "lane"});
  }
  std::string note =
      fmt::format("{} in {} of training.", counted(static_cast<std::int64_t>(all.spans.size()), "training"),
                  human_seconds(all.seconds));
  if (is_binned) note += " There are too many to show each: a bin is the paler the longer its lanes had no work.";
  if (trained_jobs > 1) note += " Jobs follow each other with gaps, whose length is not recorded.";
  return drawn(name, title, "When each lane trained, over the seconds of the jobs.", wide_width,
               draw_timeline(shown.names, spans, marks, all.end(), legend, wide_width), note);
}

Picture time_shares(const RunReport& report) {
  const TimeShares& shares = report.shares;
  const double total = shares.total();
  if (!(total > 0)) return without("time", "Where the time went", "No training has ended yet.");
  std::vector<Bar> parts;
  const auto add = [&](const char* name, double seconds, const char* classes) {
    if (seconds > 0)
      parts.push_back(
          {name, seconds, fmt::format("{:.1f} % ({})", 100 * seconds / total, human_seconds(seconds)), classes});
  };
  add("training", shares.training, "s0");
  add("validation", shares.validation, "s2");
  add("data", shares.data, "s4");
  add("waiting for data", shares.waiting, "s3");
  add("waiting for work", shares.idle, "s1");
  add("outside trainings", shares.other, "faint");
  return drawn("time", "Where the time went", "The parts of the time of all lanes.", wide_width,
               draw_parts(parts, wide_width),
               "Of the time of all lanes, from the first training to the last. Outside trainings, lanes prepare models "
               "and data and "
               "pass results on; if it is not known how long they waited for work, that is part of it.");
}

}  // namespace

std::string class_name(const RunReport& report, std::size_t number) {
  return number < report.stored.class_names.size() ? printable(report.stored.class_names[number])
                                                   : fmt::format("{}", number);
}

std::vector<PictureGroup> pictures_of(const RunReport& report) {
  std::vector<PictureGroup> groups;
  const std::string objects = std::string(report.object_name()) + "s";
  if (report.objects.size() < 2) {
    PictureGroup history{
        "history",
        "History",
        {without("history", "History", fmt::format("A history needs at least two {} with a finite value.", objects))}};
    if (!report.objects.empty()) history.pictures.push_back(fold_spread(report));
    groups.push_back(std::move(history));
  } else {
    std::vector<double> numbers, ends;
    const TimeUnit unit = time_unit(report.timeline.end());
    for (std::size_t at = 0; at < report.objects.size(); ++at) {
      numbers.push_back(static_cast<double>(at + 1));
      ends.push_back(report.objects[at].end / unit.seconds);
    }
    groups.push_back(
        {"history",
         "History",
         {history(report, "history", fmt::format("Best so far over {}", objects), numbers,
                  objects + " in the order of their ends"),
          history(report, "history-time", "Best so far over time", ends, unit.name), fold_spread(report)}});
    if (!report.keys.empty()) {
      constexpr std::size_t most = 12;
      PictureGroup keys{"keys", "Searched keys", {importances(report)}};
      const std::vector<std::size_t> order = keys_by_importance(report);
      for (std::size_t at = 0; at < std::min(order.size(), most); ++at)
        keys.pictures.push_back(slice(report, order[at], at + 1));
      keys.pictures.push_back(parallel_coordinates(report));
      groups.push_back(std::move(keys));
    }
  }
  groups.push_back({"curves", "Learning curves", {learning_curves(report)}});
  groups.push_back({"predictions",
                    std::string("Held-out predictions of the best ") + (report.is_search() ? "trial" : "model"),
                    predictions(report)});
  groups.push_back({"time", "Time", {time_shares(report), timeline(report)}});
  return groups;
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
