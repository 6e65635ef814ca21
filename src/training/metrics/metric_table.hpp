// All metrics. A new one is a file with its Accumulator and a line of the table. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "training/metrics/metric.hpp"

namespace sheaf {

const std::vector<Metric>& metric_table();

/// The first of the table for `task`.
const Metric& default_metric(Task task);

/// The metric that a study's iterations are scored by: search.metric if that names one, else the task's first.
const Metric& score_metric(const Study& study);

}  // namespace sheaf
