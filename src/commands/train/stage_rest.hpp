// The iterations of the current stage that are left to train.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "commands/train/open_run.hpp"
#include "commands/train/remaining_work.hpp"
#include "core/index_range.hpp"
#include "parallel/mpi/communicator.hpp"
#include "runs/search_stages.hpp"
#include "study/plan.hpp"

namespace sheaf {

struct StageRest {
  IndexRange iterations;  ///< of the stage
  std::int64_t left = 0;  ///< of these, without a result when the job came to the stage
  WorkList work;          ///< of these, the slice's
};

/// Names the next stage on rank 0 and adds it to the plans of all ranks. False: the search is done. Throws AgreedError
/// when the journals have recorded another one. `recorded`: on rank 0, from the journals. Collective over world.
bool name_next_stage(SearchStages& stages, Plan& plan, const std::vector<RecordedStage>& recorded,
                     const std::string& directory, const Communicator& world);

/// Adds the stages that rank 0 has and the others do not. `known`: that all have. Collective over world.
void share_stages(Plan& plan, std::int64_t known, const Communicator& world);

/// The iterations of the plan's last stage without a result of an earlier attempt. Collective over world.
StageRest find_rest(const OpenRun& run, const Plan& plan, const Communicator& world);

}  // namespace sheaf
