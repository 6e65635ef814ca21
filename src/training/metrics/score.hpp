// Computes metrics of predictions for rows of a data set in memory. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/dataset.hpp"
#include "data/row_set.hpp"
#include "study/metrics.hpp"
#include "study/train_options.hpp"
#include "training/metrics/scoring.hpp"

namespace sheaf {

struct Study;

/// The metrics of the validations of a study: its score, then those of run.metrics.
std::vector<MetricChoice> validation_metrics(const Study& study);

/// Predictions for rows of a data set in memory.
struct RowPredictions {
  Scoring scoring;
  const std::vector<float>& values;  ///< [rows, output_count], in the order of `rows`
  const DataSet& data;
  const RowSet& rows;            ///< at least one
  std::vector<float> weights{};  ///< [rows]; empty: all are 1
};

/// The scoring of a model that was trained with these options.
Scoring scoring_of(const TrainOptions& train, const DataSet& data, bool are_probabilities);

/// The values of `metrics`, which are metrics for the task of the data; their classes, counts and quantiles exist
/// there. NaN if all weights are 0.
std::vector<double> prediction_scores(const std::vector<MetricChoice>& metrics, const RowPredictions& predictions);

/// The loss: the weighted mean over rows and, unless targets are labels, over outputs.
double prediction_loss(const RowPredictions& predictions);

}  // namespace sheaf
