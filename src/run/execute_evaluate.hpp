// Evaluates trained models on a file of any size: each rank a share of its rows, each lane block after block.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mpi/communicator.hpp"
#include "options/study.hpp"
#include "results/evaluation_report.hpp"
#include "run/evaluated_rows.hpp"

namespace sheaf {

/// What to evaluate, and how.
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

/// The report is on rank 0. Metrics and predictions are the same to the bit for any number of ranks and lanes.
/// Throws on every rank alike. Collective over world.
EvaluationReport execute_evaluate(const EvaluationRequest& request, const Communicator& world);

}  // namespace sheaf
