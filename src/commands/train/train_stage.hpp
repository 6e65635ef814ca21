// A rank's part of the training, with the main thread at the service of the other nodes.
// SPDX-License-Identifier: MIT
#pragma once

#include "commands/train/lanes.hpp"
#include "commands/train/stage_work.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// Trains until the work is done on all ranks, or one of them has a cause to stop and what was begun is finished. Shows
/// progress on rank 0. Returns the cause, on all ranks alike. A lane that throws or a journal that cannot be written
/// ends the whole job at once: the message on stderr, exit code 1. So does a host that does not answer for
/// run.network_timeout, with exit code 75, after the journal is closed. Throws AgreedError when a rank cannot start its
/// lanes. Collective over world.
StopCause train_stage(const StageWork& stage, const Communicator& world, const Communicator& node);

}  // namespace sheaf
