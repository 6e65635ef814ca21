// SPDX-License-Identifier: MIT
#include "search/iteration_value.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "search/leaderboard.hpp"
#include "study/key_defaults.hpp"
#include "study/metrics.hpp"
#include "study/validation_epochs.hpp"

namespace sheaf {

ProgressValue progress_value_of(const Study& study) {
  using Source = ProgressValue::Source;
  if (!validates(study)) return {Source::final_loss, "loss", false};
  if (ranking_of(study).by_loss) return {Source::validation_loss, "validation loss", false};
  const MetricChoice metric = score_metric(study);
  return {Source::score, metric.label(), metric.metric().larger_is_better()};
}

double cost_of(const ProgressValue& value, const IterationResult& result) {
  using Source = ProgressValue::Source;
  const double shown = value.source == Source::final_loss        ? result.final_loss
                       : value.source == Source::validation_loss ? result.validation_loss
                                                                 : result.validation_score;
  if (!has_model(result.status) || !std::isfinite(shown)) return std::numeric_limits<double>::infinity();
  return value.larger_is_better ? -shown : shown;
}

std::string value_text(const ProgressValue& value, double cost) {
  const double shown = value.larger_is_better ? -cost : cost;
  return value.source == ProgressValue::Source::score ? fmt::format("{} {:.4f}", value.name, shown)
                                                      : fmt::format("{} {:.5g}", value.name, shown);
}

std::optional<std::string> best_so_far(const ProgressValue& value, double lowest_cost) {
  if (std::isinf(lowest_cost)) return std::nullopt;
  return "best " + value_text(value, lowest_cost);
}

}  // namespace sheaf
