// The current stage of a job and its remaining iterations.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "commands/train/prepare/open_run.hpp"
#include "commands/train/training/remaining_work.hpp"
#include "core/index_range.hpp"
#include "parallel/mpi/communicator.hpp"
#include "runs/journal/stage_line.hpp"
#include "runs/search_stages.hpp"
#include "study/plan.hpp"

namespace sheaf {

struct RemainingStage {
  IndexRange iterations;     ///< all iterations of the stage
  std::int64_t left = 0;     ///< iterations without a result when the job reached the stage
  RemainingIterations work;  ///< those of them in the job's slice
};

/// Chooses the next stage on rank 0 and adds it to the plans of all ranks. Returns false if the search is done.
/// `recorded`: the stages in the journals, on rank 0. Throws AgreedError if the journals record a different stage.
/// Collective over world.
bool choose_next_stage(SearchStages& stages, Plan& plan, const std::vector<RecordedStage>& recorded,
                       const std::string& directory, const Communicator& world);

/// Sends new stages from the plan of rank 0 to all ranks, and the drawn values of trials that are trained again.
/// `known`: number of stages in all plans. Collective over world.
void share_stages(Plan& plan, std::int64_t known, const Communicator& world);

/// The same after rank 0 has read the journals of a run. First gives the plans of all ranks the number of trials of
/// rank 0 if trials are gradual, on which the iterations of a refit depend; those of other ranks must not have a refit
/// yet. Collective over world.
void share_read_stages(Plan& plan, bool is_gradual, std::int64_t known, const Communicator& world);

/// The iterations of the plan's last stage that have no result from earlier attempts. Collective over world.
RemainingStage find_remaining(const OpenRun& run, const Plan& plan, const Communicator& world);

/// The same for gradual trials, of which rank 0 knows what may be trained: `work` only has the number of iterations.
/// The plans of all ranks get the number of trials of rank 0. Collective over world.
RemainingStage find_remaining_trials(const SearchStages& stages, Plan& plan, const Communicator& world);

/// The last stage that follows from earlier attempts. The plan of rank 0 has all of its stages, the others have `known`
/// ones. Collective over world.
RemainingStage find_current_stage(const OpenRun& run, const SearchStages& stages, bool is_gradual, Plan& plan,
                                  std::int64_t known, const Communicator& world);

}  // namespace sheaf
