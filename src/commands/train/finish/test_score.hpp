// The evaluation of the best model on the test rows.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/file_schema.hpp"
#include "runs/results/run_results.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// Loads the models, more than one of which are an ensemble, and evaluates them on a core: the loss and all metrics
/// that apply to the task and the loss, as `sheaf evaluate` does. Reads the features of streamed data from the file.
/// `iteration`: the model, or the first one. `models`: paths of files that the run has saved. `weights`: [models];
/// empty: all are equal. Throws RunError. Local.
TestResult test_models(const TrainingContext& context, const FileSchema& file, std::int64_t iteration,
                       const std::vector<std::string>& models, const std::vector<double>& weights = {});

}  // namespace sheaf
