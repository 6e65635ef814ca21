// SPDX-License-Identifier: MIT
#include "training/training_cost.hpp"

#include <cmath>

#include "data/split_sizes.hpp"
#include "models/tree_model_file.hpp"
#include "training/batches.hpp"

namespace sheaf {

int optimizer_state_count(const TrainOptions& train) {
  return state_count_of(train.optimizer, train.momentum > 0);
}

DataShape shape_of(const DataSet& data, const DataOptions& options) {
  const bool chosen = options.image.channels > 0;
  return {data.rows, data.feature_count, data.output_count, chosen ? options.image : data.image, data.kinds};
}

DataShape synthetic_shape(const DataOptions& options) {
  return {options.rows, options.columns, options.task == Task::classification ? options.classes : options.outputs,
          options.image};
}

DataShape shape_of(const DataSet* data, const DataOptions& options) {
  return data != nullptr ? shape_of(*data, options) : synthetic_shape(options);
}

namespace {

// Each level of a tree adds two sums for each row and column, with two operations each. XGBoost keeps about 16 bytes
// for each value, and the held-out rows are fewer than the training rows.
TrialEstimate estimate_trees(const Trial& trial, const DataShape& shape, std::int64_t training_rows) {
  constexpr double operations = 4, value_bytes = 16, rows_of_all = 1.5, bytes_of_checkpoint = 1024;
  const double values = static_cast<double>(shape.features) * static_cast<double>(training_rows);
  const double levels =
      trial.model.max_depth > 0 ? static_cast<double>(trial.model.max_depth) : std::log2(trial.model.max_leaves);
  TrialEstimate estimate;
  estimate.steps = trial.train.epochs;
  estimate.flops = operations * values * levels * static_cast<double>(trial.train.epochs) *
                   static_cast<double>(tree_outputs(trial.train.loss, shape.outputs));
  estimate.model_bytes = estimate.needed_bytes = values * value_bytes * rows_of_all;
  estimate.checkpoint_bytes = bytes_of_checkpoint;
  return estimate;
}

}  // namespace

TrialEstimate estimate_trial(const Trial& trial, const DataShape& shape, std::int64_t parameters,
                             std::int64_t training_rows) {
  if (!is_network(trial.model.kind)) return estimate_trees(trial, shape, training_rows);
  const auto layers = network_layout(trial.model, shape);
  TrialEstimate estimate;
  estimate.parameters = parameters;
  estimate.flops = 6.0 * static_cast<double>(multiply_adds_per_row(layers)) * static_cast<double>(training_rows) *
                   static_cast<double>(trial.train.epochs);
  estimate.steps = epoch_steps(trial.train, training_rows) * trial.train.epochs;
  const double value_bytes = trial.train.precision == Precision::float64 ? 8 : 4;
  const int averages = trial.train.average == Average::none ? 0 : 1;
  const auto stored_values = static_cast<double>(parameters) * (1 + optimizer_state_count(trial.train) + averages);
  estimate.checkpoint_bytes = stored_values * value_bytes + 1024;
  double values = stored_values + static_cast<double>(parameters);  // with gradients
  double activations = static_cast<double>(shape.features);
  for (const auto& layer : layers) activations += 2.0 * static_cast<double>(layer.output_count());
  values += activations * static_cast<double>(batch_rows(trial.train, training_rows));
  estimate.model_bytes = estimate.needed_bytes = values * value_bytes;
  return estimate;
}

bool decides_cost(const std::string& key) {
  for (const char* name : {"train.epochs", "train.batch_size", "train.optimizer", "train.momentum", "train.average"})
    if (key == name) return true;
  return decides_network(key);
}

std::int64_t training_rows_per_iteration(const Study& study, const RowCounts& rows) {
  const std::int64_t left = rows_without_test(study.data, rows.own), stopping = stopping_row_count(study, rows);
  return rows.validation_file > 0 ? left - stopping : left - least_validation_rows(study, rows) - stopping;
}

}  // namespace sheaf
