// SPDX-License-Identifier: MIT
#include "report/prediction_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text.hpp"
#include "report/picture_parts.hpp"

namespace sheaf {
namespace {

Picture confusion(const RunReport& report, const HeldOutRows& rows) {
  constexpr std::size_t most = 40;
  const std::string name = "confusion", title = "Confusion matrix";
  if (rows.outputs > most)
    return without(name, title,
                   fmt::format("There are {} classes; a picture has room for {}. The table below has all of them.",
                               rows.outputs, most));
  std::vector<std::string> names;
  for (std::size_t number = 0; number < rows.outputs; ++number) names.push_back(output_name(report, number));
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
    legend.push_back(
        {fmt::format("{} ({} {:.4f})", output_name(report, shown.outputs[at]), area, shown.curves[at].area),
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
               are_labels ? "On the dashed line, probabilities are right."
                          : "Below the dashed line, the model is too confident.");
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
  const bool has_name = output < report.stored.output_names.size();
  const std::string target =
      rows.outputs > 1 ? fmt::format(" of {}{}", has_name ? "" : "target ", output_name(report, output)) : "";
  return drawn(fmt::format("predicted-{}", output), fmt::format("Predicted and true values{}", target),
               "Each held-out row: its true value and the prediction.", chart,
               joined(is_binned ? binned_note : "", axis.note));
}

}  // namespace

std::string output_name(const RunReport& report, std::size_t number) {
  return number < report.stored.output_names.size() ? printable(report.stored.output_names[number])
                                                    : fmt::format("{}", number);
}

std::vector<Picture> prediction_pictures(const RunReport& report) {
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

}  // namespace sheaf
