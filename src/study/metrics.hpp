// The table of metrics: what studies, rankings and results need to know about each. training/metrics computes them.
// Pure. SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "study/data_options.hpp"

namespace sheaf {

struct Study;

enum class MetricKind : std::uint8_t { accuracy, r2 };

/// A number that measures how well outputs fit labels or targets.
struct Metric {
  MetricKind kind;
  std::string_view name;   ///< in settings, journals and tables
  std::string_view label;  ///< in messages and reports
  Task task;
  bool larger_is_better;
  std::int64_t min_rows;  ///< the value is NaN for fewer rows
};

/// In the order of MetricKind. The first metric of a task is its default.
inline constexpr std::array metric_table = {
    Metric{MetricKind::accuracy, "accuracy", "accuracy", Task::classification, true, 1},
    Metric{MetricKind::r2, "r2", "R2", Task::regression, true, 2},
};

constexpr const Metric& metric_of(MetricKind kind) {
  return metric_table[static_cast<std::size_t>(kind)];
}

/// Null if there is no such metric.
const Metric* find_metric(std::string_view name);

/// The first metric for `task` in the table. Throws std::logic_error if the task is not settled.
const Metric& default_metric(Task task);

/// The metric that scores the iterations of a study: `search.metric` if set, otherwise the default metric of the task.
const Metric& score_metric(const Study& study);

}  // namespace sheaf
