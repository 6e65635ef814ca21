// All metrics. A new one is a file with its Accumulator and a line of the table. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "training/metrics/metric.hpp"

namespace sheaf {

const std::vector<Metric>& metric_table();

/// The first of the table for `task`: the score of its iterations.
const Metric& default_metric(Task task);

/// Null: there is none of that name.
const Metric* find_metric(std::string_view name);

}  // namespace sheaf
