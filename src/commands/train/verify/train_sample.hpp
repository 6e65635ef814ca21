// Trains the sample of a run again, on the lanes of all ranks.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "commands/train/training/stop.hpp"
#include "commands/train/verify/sample_comparison.hpp"
#include "parallel/devices/placement.hpp"
#include "parallel/mpi/communicator.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// Trains iterations from their initial weights, also those that continued another stage, and compares each. Writes no
/// file. Ends the job as train_stage() does. Returns the same cause on all ranks; unfinished iterations are dropped if
/// there is one. `context`: without checkpoints. Collective over world, of which `node` is a part.
StopCause train_sample(const std::vector<std::int64_t>& iterations, const TrainingContext& context,
                       const Placement& placement, SampleComparison& comparison, const JobStart& start,
                       const Communicator& world, const Communicator& node);

}  // namespace sheaf
