// Runs this rank's worker threads while the main thread answers requests from other nodes.
// SPDX-License-Identifier: MIT
#pragma once

#include "commands/train/training/lanes.hpp"
#include "commands/train/training/stage_work.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// Trains until all ranks have no more work, or a rank has a cause to stop and running iterations have ended. `source`:
/// has left the work of the stage before. Returns the same cause on all ranks. If a lane
/// throws or a journal cannot be written, the whole job ends at once with a message on stderr and exit code 1. If a
/// host does not answer for run.network_timeout, the job closes its journals and ends with exit code 75. Collective
/// over world.
StopCause train_stage(const StageWork& stage, Lanes& lanes, WorkSource& source, const Communicator& world);

}  // namespace sheaf
