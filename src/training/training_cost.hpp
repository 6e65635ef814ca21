// Estimates the cost of a study before it runs. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "data/dataset.hpp"
#include "data/row_counts.hpp"
#include "models/network_layout.hpp"
#include "study/data_options.hpp"
#include "study/plan.hpp"
#include "study/train_options.hpp"

namespace sheaf {

struct Study;

/// The shape of a data set for networks. `options.image` overrides the image shape of the file.
DataShape shape_of(const DataSet& data, const DataOptions& options);

/// The same for synthetic data.
DataShape synthetic_shape(const DataOptions& options);

/// The same for `data`, or for synthetic data if `data` is null (each iteration has its own).
DataShape shape_of(const DataSet* data, const DataOptions& options);

/// The number of values that the optimizer keeps for each parameter.
int optimizer_state_count(const TrainOptions& train);

struct TrialEstimate {
  std::int64_t parameters = 0;
  std::int64_t steps = 0;     ///< optimizer steps of one iteration
  double flops = 0;           ///< floating-point operations of one iteration; trees: 4 per row, column and level of a
                              ///< tree; networks: 6 per multiply-add of a forward pass (2
                              ///< forward, 4 backward), times training rows and epochs; 0 (unknown) without a layout
  double model_bytes = 0;     ///< of memory for one model: parameters, gradients, optimizer state and activations of a
                              ///< batch (without a layout, only the features of the batch)
  std::int64_t together = 1;  ///< models that a lane trains at the same time (run.stack)
  double needed_bytes = 0;    ///< of memory for all models that a lane trains at the same time
  double checkpoint_bytes = 0;  ///< size of a checkpoint file: parameters, optimizer state, and about 1 KiB
};

/// Estimates one iteration of a trial that trains a network with `parameters` parameters, or boosted trees, on
/// `training_rows` rows.
TrialEstimate estimate_trial(const Trial& trial, const DataShape& shape, std::int64_t parameters,
                             std::int64_t training_rows);

/// Whether estimate_trial() depends on this key of a trial. Pure.
bool decides_cost(const std::string& key);

/// The number of training rows per iteration: all rows if there are neither folds nor a hold-out.
std::int64_t training_rows_per_iteration(const Study& study, const RowCounts& rows);

}  // namespace sheaf
