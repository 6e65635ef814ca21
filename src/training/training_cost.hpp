// What a study will cost, before it is run. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "data/dataset.hpp"
#include "models/network_layout.hpp"
#include "study/plan.hpp"
#include "study/study.hpp"

namespace sheaf {

/// What a network sees of a data set; `options.image` wins over the file's own.
DataShape shape_of(const DataSet& data, const DataOptions& options);

/// The same for data that each iteration draws. Pure.
DataShape synthetic_shape(const DataOptions& options);

/// The same for the data set of all iterations; null: each draws its own.
DataShape shape_of(const DataSet* data, const DataOptions& options);

struct TrialEstimate {
  std::int64_t parameters = 0;
  std::int64_t steps = 0;   ///< batches of one iteration
  double flops = 0;         ///< floating-point operations of one iteration: 6 for each multiply-add of a forward pass
                            ///< (2 forward, 4 backward), times training rows and epochs; 0 without a layout: unknown
  double memory_bytes = 0;  ///< one lane's parameters, gradients, optimizer state and activations of a batch (without
                            ///< a layout only its features)
};

/// One iteration of a trial that trains a network of `parameters` on `training_rows` rows.
TrialEstimate estimate_trial(const Trial& trial, const DataShape& shape, std::int64_t parameters,
                             std::int64_t training_rows);

/// Rows that one iteration trains on: all without folds and hold-out.
std::int64_t training_rows_per_iteration(const Study& study, std::int64_t rows);

}  // namespace sheaf
