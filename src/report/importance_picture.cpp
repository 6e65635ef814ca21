// SPDX-License-Identifier: MIT
#include "report/importance_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/escaped.hpp"
#include "core/text.hpp"
#include "report/picture_parts.hpp"
#include "runs/results/feature_importance.hpp"

namespace sheaf {
namespace {

constexpr std::size_t max_bars = 30, max_lines = 20;

std::string measured_text(const FeatureImportances& importances) {
  return fmt::format("how much worse {} gets when the values of a feature are permuted among the rows",
                     printable(importances.metric_label));
}

std::string source_text(const FeatureImportances& importances) {
  std::string text =
      fmt::format("{} without permutations; '{}' ({}); {} of each feature", baseline_text(importances),
                  printable(importances.data), rows_text(importances), counted(importances.repeats, "permutation"));
  if (importances.weights) text += fmt::format("; weights '{}'", printable(*importances.weights));
  return text + "; " + models_text(importances.models, importances.models_kind);
}

std::string value_text(double value) {
  return std::isfinite(value) ? fmt::format("{:.4f}", value) : "not defined";
}

}  // namespace

Picture feature_importance(const RunReport& report) {
  const std::string name = "feature-importance", title = "Importance of the features";
  if (!report.stored.importances)
    return without(name, title,
                   report.run.has_results
                       ? fmt::format("The importance of the features is not stored: sheaf importance {} DATA --save "
                                     "computes it for the rows of a file.",
                                     shell_word(report.run.directory))
                       : "The importance of the features can be computed when the run is complete.");
  const FeatureImportances& importances = *report.stored.importances;
  std::vector<Bar> bars;
  for (const FeatureImportance& feature : importances.features) {
    if (bars.size() == max_bars) break;
    const bool is_defined = std::isfinite(feature.mean) && std::isfinite(feature.deviation);
    bars.push_back({printable(feature.feature), is_defined ? feature.mean : 0,
                    is_defined ? fmt::format("{:.4f} ± {:.4f}", feature.mean, feature.deviation) : "not defined", "s0",
                    is_defined ? feature.deviation : 0});
  }
  std::string note =
      fmt::format("Mean and standard deviation of {}. {}.", measured_text(importances), source_text(importances));
  if (bars.size() < importances.features.size())
    note += fmt::format(" The other {} are in importance.json.",
                        counted(static_cast<std::int64_t>(importances.features.size() - bars.size()), "feature"));
  return drawn(name, title, "One bar for each feature, the most important first, with a line for its spread.",
               normal_width, draw_bars(bars, normal_width), note);
}

std::string feature_importance_text(const RunReport& report) {
  if (!report.stored.importances) return "";
  const FeatureImportances& importances = *report.stored.importances;
  std::vector<std::vector<std::string>> rows = {{"feature", "importance", "std"}};
  for (const FeatureImportance& feature : importances.features) {
    if (rows.size() > max_lines) break;
    rows.push_back({printable(feature.feature), value_text(feature.mean), value_text(feature.deviation)});
  }
  std::string text =
      fmt::format("\nImportance of the features: {}\n{}\n", measured_text(importances), source_text(importances)) +
      format_table(rows);
  if (const std::size_t left = importances.features.size() + 1 - rows.size(); left > 0)
    text += fmt::format("... and {} in importance.json\n", counted(static_cast<std::int64_t>(left), "other feature"));
  return text;
}

}  // namespace sheaf
