// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "commands/evaluate/evaluated_rows.hpp"
#include "study/study.hpp"

namespace sheaf {

/// The options of an evaluation.
struct EvaluationRequest {
  std::string model;                      ///< a model file, or a run directory
  std::optional<std::int64_t> iteration;  ///< of a run directory; none: its best model
  DataOptions data;                       ///< file, features, targets, classes, image, channels
  RunOptions run;                         ///< device, engine, lanes, threads, ranks_per_gpu
  TargetsWanted targets = TargetsWanted::if_there;
  std::optional<Task> task;      ///< none: the model file's, or what the targets look like
  std::optional<LossKind> loss;  ///< none: the model file's, or what goes with the task
  std::string predictions;       ///< HDF5 file to write; empty: none
  bool overwrite = false;        ///< of that file
};

}  // namespace sheaf
