// SPDX-License-Identifier: MIT
#include "report/curve_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/picture_parts.hpp"

namespace sheaf {

Picture learning_curves(const RunReport& report) {
  const std::string name = "curves", title = "Learning curves";
  if (report.curves.empty())
    return without(name, title,
                   report.run.study.curves() ? "No training has finished an epoch yet."
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
  if (report.curves.size() < report.objects.size())
    note = fmt::format("{} of {} curves are shown: the best five, and others from all ranks.", report.curves.size(),
                       report.objects.size());
  Picture picture =
      drawn(name, title,
            fmt::format("The loss after each epoch, for each {} the mean over its trainings.", report.object_name()),
            chart, joined(note, axis.note));
  picture.width = wide_width;
  return picture;
}

}  // namespace sheaf
