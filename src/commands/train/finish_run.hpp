// The end of a run: the final losses of all ranks gathered on rank 0, its results written and told.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "commands/train/model_saving.hpp"
#include "commands/train/open_run.hpp"
#include "commands/train/train_run.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "parallel/mpi/communicator.hpp"
#include "runs/results/run_results.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// A run after its training. What is referred to outlives it.
struct EndOfRun {
  const OpenRun& run;
  SearchStages& stages;
  Plan& plan;  ///< of the stages and of the context; an array's task adds the stages that the others' results lead to
  const TrainingContext& context;
  const SavedModels& models;
  const TrainedRest& trained;
  const std::vector<RankInfo>& ranks;
  const EngineOfTrial& engine_of_trial;
  std::int64_t streamed_bytes;  ///< by this rank
  /// Called at the end, by a thread of rank 0 that must not call MPI.
  std::function<std::vector<std::pair<std::string, std::string>>()> provenance;
  Clock::time_point start;
};

/// Writes the results of a complete run and prints its summary on stdout of rank 0, or reports what is left. Records
/// come from the ranks' memory and, for earlier attempts, from OpenRun::earlier; a task of an array reads what other
/// tasks have done from their journals. Returns, on every rank alike, done; failed when some iterations could not be
/// trained; stopped when something came before the last iteration. Ends the job when a host does not answer for
/// run.network_timeout. Throws AgreedError. Collective over world; `leaders`: the first ranks of nodes.
ExitCode finish_run(const EndOfRun& end, const Communicator& world, const Communicator& node,
                    const Communicator& leaders);

}  // namespace sheaf
