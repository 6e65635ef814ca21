// The evaluation of the models of a run: on the test rows, and on rows that they were not trained on.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/index_range.hpp"
#include "data/file_schema.hpp"
#include "runs/results/run_results.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// Loads the models, more than one of which are an ensemble, and evaluates them on a core: the loss and all metrics
/// that apply to the task and the loss, as `sheaf evaluate` does. Reads the features of streamed data from the file.
/// `iteration`: the model, or the first one. `models`: paths of files that the run has saved. `weights`: [models];
/// empty: all are equal. Throws RunError. Local.
TestResult test_models(const TrainingContext& context, const std::optional<FileSchema>& file, std::int64_t iteration,
                       const std::vector<std::string>& models, const std::vector<double>& weights = {});

/// The out-of-bag score of models that were trained on bootstrap samples of the same rows: the prediction for a row is
/// the mean over the models whose sample does not have it. Rows in all samples do not count; nothing if all rows are.
/// `iterations`, `models`: of an ensemble, or a single one. At most `threads` threads compute; the result does not
/// depend on them. The data must be in memory. Throws RunError. Local.
std::optional<TestResult> score_out_of_bag(const TrainingContext& context, IndexRange iterations,
                                           const std::vector<std::string>& models, std::int64_t threads);

}  // namespace sheaf
