// A run whose training in this job has ended.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/train/prepare/open_run.hpp"
#include "commands/train/training/model_saving.hpp"
#include "commands/train/training/train_run.hpp"
#include "core/clock.hpp"
#include "data/file_schema.hpp"
#include "runs/results/run_results.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// A run after its training. Referenced objects outlive it.
struct EndOfRun {
  const OpenRun& run;
  SearchStages& stages;
  Plan& plan;  ///< of the stages and the context; an array task adds the stages that follow from other tasks' results
  const TrainingContext& context;
  const SavedModels& models;
  TrainingOutcome& trained;  ///< its results are freed when they are written
  const RankTable& ranks;
  const EngineOfTrial& engine_of_trial;
  const std::optional<FileSchema>& file;  ///< of the data file
  std::int64_t streamed_bytes;            ///< read by this rank
  const DataSummary& data;
  /// Called once at the end, in a thread of rank 0 that must not call MPI.
  std::function<std::vector<std::pair<std::string, AttributeValue>>()> provenance;
  Clock::time_point start;
};

}  // namespace sheaf
