// Trains one stage without a run, for tests and benchmarks.
// SPDX-License-Identifier: MIT
#pragma once

#include "commands/train/training/train_stage.hpp"

namespace sheaf::test {

// Trains `work` with the lanes of `setup`. Ends the job as train_stage() does. Collective over world.
inline void train_one_stage(const LaneSetup& setup, PartitionKind partition, const RemainingIterations& work,
                            const Communicator& world, const Communicator& node) {
  WorkSource source(static_cast<int>(setup.placement.lane_count()), world, node);
  Lanes lanes(setup, source, world.rank());
  train_stage({partition, work, work.count(), nullptr, nullptr, nullptr, [] { return no_stop; }}, lanes, source, world);
}

}  // namespace sheaf::test
