// Computes metrics of predictions for rows of a data set in memory. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/dataset.hpp"
#include "data/row_set.hpp"
#include "study/metrics.hpp"
#include "study/train_options.hpp"

namespace sheaf {

struct Study;

/// The metrics of the validations of a study: its score, then those of run.metrics.
std::vector<MetricChoice> validation_metrics(const Study& study);

/// The values of `metrics`, which are metrics for the task of the data; their classes, counts and quantiles exist
/// there. `quantiles`: of the outputs, with the loss `quantile`. Rows have no weights, as in the validation loss.
/// `predictions`: of a classification, the outputs of a model with this loss, or with `are_probabilities` class
/// probabilities; [rows, output_count], row-major, in the order of `rows`, at least one row.
std::vector<double> prediction_scores(const std::vector<MetricChoice>& metrics, LossKind loss,
                                      const std::vector<double>& quantiles, bool are_probabilities,
                                      const std::vector<float>& predictions, const DataSet& data, const RowSet& rows);

}  // namespace sheaf
