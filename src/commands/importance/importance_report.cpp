// SPDX-License-Identifier: MIT
#include "commands/importance/importance_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "core/quoted.hpp"
#include "core/text.hpp"
#include "runs/results/feature_importance.hpp"
#include "runs/results/models_kind.hpp"

namespace sheaf {
namespace {

std::string text_of(const ImportanceResult& result) {
  const FeatureImportances& found = result.importances;
  std::string text;
  const auto add = [&](const char* label, const std::string& value) {
    text += fmt::format("{:<12} {}\n", label, value);
  };
  add("model", models_text(found.models, found.models_kind));
  add("data", fmt::format("'{}', {}", printable(found.data), rows_text(found)));
  if (found.weights) add("weights", quoted(*found.weights));
  add("engine", result.engine);
  add("metric", fmt::format("{} without permutations ({} is better)", baseline_text(found),
                            found.larger_is_better ? "larger" : "smaller"));
  add("permutations", fmt::format("{} of each feature, seed {}", found.repeats, found.seed));
  add("time",
      fmt::format("{}, {:.4g} predicted rows/s", human_seconds(result.seconds), result.predicted / result.seconds));
  std::vector<std::vector<std::string>> rows = {{"feature", "importance", "std"}};
  for (const FeatureImportance& feature : found.features)
    rows.push_back(
        {printable(feature.feature), fmt::format("{:.6f}", feature.mean), fmt::format("{:.6f}", feature.deviation)});
  return text + "\n" + format_table(rows);
}

std::string csv_of(const FeatureImportances& found) {
  const auto number = [](double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; };
  std::string text = "feature,importance,std\n";
  for (const FeatureImportance& feature : found.features)
    text += fmt::format("{},{},{}\n", csv_field(feature.feature), number(feature.mean), number(feature.deviation));
  return text;
}

}  // namespace

std::string importance_output(const ImportanceResult& result, ImportanceFormat format) {
  switch (format) {
    case ImportanceFormat::csv:
      return csv_of(result.importances);
    case ImportanceFormat::json:
      return importance_json(result.importances);
    case ImportanceFormat::text:
      break;
  }
  return text_of(result);
}

}  // namespace sheaf
