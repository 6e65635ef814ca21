// Trains a run in this job, stage by stage.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "commands/train/prepare/open_run.hpp"
#include "commands/train/training/model_saving.hpp"
#include "commands/train/training/stage_rest.hpp"
#include "commands/train/training/stop.hpp"
#include "parallel/devices/placement.hpp"
#include "parallel/mpi/communicator.hpp"
#include "runs/journal/result_store.hpp"
#include "runs/search_stages.hpp"
#include "study/plan.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// A run before its training. Referenced objects outlive it. The context, the models and the stages use `plan`.
struct RunToTrain {
  const OpenRun& run;
  SearchStages& stages;
  Plan& plan;
  const TrainingContext& context;  ///< without checkpoints
  const SavedModels& models;
  const Placement& placement;
  const JobStart& start;
};

/// How long the lanes of a rank have trained.
struct LaneSeconds {
  double total = 0;  ///< the time of the stages, for each lane
  double busy = 0;   ///< without waiting for work
};

/// The iterations that this job has trained.
struct TrainingOutcome {
  StopCause cause = no_stop;
  RemainingStage last;                ///< the last stage that it reached
  ResultStore results;                ///< of this rank, settled
  std::vector<std::string> journals;  ///< on rank 0: of each rank; empty when nothing was left to train
  LaneSeconds lanes;                  ///< of this rank
};

/// Trains the remaining iterations of the current stage, then chooses and trains later stages until the search is done,
/// the job must stop, or iterations have failed. An array task trains only its slice of the current stage. Ends the job
/// as train_stage() does. Throws AgreedError. Collective over world; `leaders`: the leaders of the nodes.
TrainingOutcome train_run(const RunToTrain& job, RemainingStage current, const Communicator& world,
                          const Communicator& node, const Communicator& leaders);

}  // namespace sheaf
