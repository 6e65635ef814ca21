// SPDX-License-Identifier: MIT
#include "report/ensemble_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "report/picture_parts.hpp"
#include "study/trial_ensemble.hpp"

namespace sheaf {
namespace {

// A sentence: why the run has no ensemble of trials, and what makes one.
std::string no_ensemble(const RunReport& report) {
  const SettledStudy& study = report.run.study;
  if (const auto obstacle = ensemble_obstacle(study))
    return fmt::format("The run has no ensemble of its trials ({}). {}, and --search.ensemble=greedy.",
                       obstacle->reason, obstacle->advice);
  if (study.ensemble() != EnsembleKind::greedy)
    return "The run has no ensemble of its trials: --search.ensemble=greedy selects one from their held-out "
           "predictions.";
  return report.run.has_results
             ? "The run has no ensemble of its trials: it could not be selected, as the log of the job says."
             : "The ensemble of the trials is selected when the run is complete.";
}

}  // namespace

Picture ensemble_growth(const RunReport& report) {
  const std::string name = "ensemble", title = "Growth of the ensemble";
  if (!report.run.ensemble) return without(name, title, no_ensemble(report));
  const TrialEnsemble& ensemble = *report.run.ensemble;
  const EnsembleMember& best = ensemble.best_member();
  const bool has_samples = ensemble.selections > 1;  // whose losses are not those for all rows
  std::vector<double> steps, losses;
  for (const double loss : ensemble.step_losses) {
    steps.push_back(static_cast<double>(steps.size() + 1));
    losses.push_back(loss);
  }
  if (std::none_of(losses.begin(), losses.end(), [](double loss) { return std::isfinite(loss); }))
    return without(name, title, "The losses of the steps of the selection are not known.");
  std::vector<LegendEntry> legend = {{has_samples ? "ensemble, for samples of the rows" : "ensemble", "s0"}};
  const std::string best_text = fmt::format("best member (trial {})", best.trial);
  if (!has_samples) {
    losses.push_back(best.loss);
    legend.push_back({best_text, "s1"});
  }
  const ValueAxis axis = value_axis("loss", losses);
  Chart chart(normal_width, chart_height, number_axis("steps of the selection", ScaleKind::linear, steps), axis.axis,
              legend);
  std::vector<Point> points;
  for (std::size_t step = 0; step < steps.size(); ++step)
    if (!is_outside(axis.axis, losses[step])) points.push_back({steps[step], losses[step]});
  if (!has_samples && !is_outside(axis.axis, best.loss))
    chart.add_line({{steps.front(), best.loss}, {steps.back(), best.loss}}, "s1 dashed", best_text);
  chart.add_line(points, "s0 thick", "ensemble");
  for (const Point& point : points)
    chart.add_point(point, "s0", fmt::format("step {:.0f}: loss {:.5g}", point.x, point.y));
  std::string note = fmt::format(
      "Each step adds the one of {} with which the loss for {} is least. A trial may be added again, which gives it "
      "more "
      "weight.",
      counted(ensemble.candidates, "trial"), counted(ensemble.rows, "held-out row"));
  if (has_samples)
    note += fmt::format(
        " The losses are means of {}, each on a bootstrap sample of the rows, and so differ from that "
        "for all rows.",
        counted(ensemble.selections, "selection"));
  return drawn(name, title,
               fmt::format("The loss after each step of the selection. For all held-out rows, the loss of the ensemble "
                           "is {:.5g} and that of its best member {:.5g}.",
                           ensemble.loss, best.loss),
               chart, joined(note, axis.note));
}

}  // namespace sheaf
