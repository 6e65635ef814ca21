// A rank's part of the training, with the main thread at the service of the other nodes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "device/placement.hpp"
#include "mpi/communicator.hpp"
#include "options/study.hpp"
#include "run/lanes.hpp"

namespace sheaf {

/// Trains until iterations 0..total-1 are done on all ranks, shows progress on rank 0, and returns what this rank
/// trained, in no particular order. A lane that throws ends the whole job at once: its message on stderr, exit code 1.
/// Collective over world.
std::vector<TrainedIteration> train_share(const RunOptions& options, std::int64_t total,
                                          const EngineFactory& make_engine, const Placement& placement,
                                          const Communicator& world, const Communicator& node);

}  // namespace sheaf
