// Computes a metric of predictions for rows of a data set in memory. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "data/dataset.hpp"
#include "data/row_set.hpp"
#include "training/metrics/metric.hpp"

namespace sheaf {

/// `predictions`: [rows, output_count], row-major, in the order of `rows`, at least one row. `metric` must be a metric
/// for the task of the data.
double prediction_score(const Metric& metric, const std::vector<float>& predictions, const DataSet& data,
                        const RowSet& rows);

}  // namespace sheaf
