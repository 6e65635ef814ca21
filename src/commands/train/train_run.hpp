// Trains a run in this job, stage by stage of its search.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "commands/train/model_saving.hpp"
#include "commands/train/open_run.hpp"
#include "commands/train/stage_rest.hpp"
#include "commands/train/stop.hpp"
#include "parallel/devices/placement.hpp"
#include "parallel/mpi/communicator.hpp"
#include "runs/journal/result_store.hpp"
#include "runs/search_stages.hpp"
#include "study/plan.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// A run that is about to be trained. All references outlive it; `plan` is that of the context, the models and the
/// stages.
struct RunToTrain {
  const OpenRun& run;
  SearchStages& stages;
  Plan& plan;
  const TrainingContext& context;  ///< without checkpoints
  const SavedModels& models;
  const Placement& placement;
  const JobStart& start;
};

/// The iterations that this job has trained.
struct TrainedRest {
  StopCause cause = no_stop;
  StageRest last;                     ///< the stage that it came to
  ResultStore results;                ///< of this rank, settled
  std::vector<std::string> journals;  ///< on rank 0: of each rank; empty when nothing was left to train
};

/// Trains what is left of the stage at hand, and names and trains the stages after it, until the search is done, the
/// job is to stop, or iterations have failed. A task of an array trains its slice of the stage at hand alone. Ends the
/// job as train_stage() does. Throws AgreedError. Collective over world; `leaders`: the first ranks of nodes.
TrainedRest train_run(const RunToTrain& job, StageRest at_hand, const Communicator& world, const Communicator& node,
                      const Communicator& leaders);

}  // namespace sheaf
