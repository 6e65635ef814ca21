// The table of metrics. To add a metric, add a file with its Accumulator and a line in the table. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "study/data_options.hpp"
#include "training/metrics/metric.hpp"

namespace sheaf {

struct Study;

const std::vector<Metric>& metric_table();

/// The first metric for `task` in the table. Throws std::logic_error if the task is not settled.
const Metric& default_metric(Task task);

/// The metric that scores the iterations of a study: `search.metric` if set, otherwise the default metric of the task.
const Metric& score_metric(const Study& study);

}  // namespace sheaf
