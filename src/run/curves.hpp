// The epochs of all iterations, for studies that ask for curves.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "engine/engine.hpp"
#include "mpi/communicator.hpp"
#include "plan/iteration_record.hpp"
#include "plan/plan.hpp"

namespace sheaf {

/// Throws UsageError when the plan's iterations have more than 2^31 - 1 epochs in all: more cannot be gathered. Pure.
void require_countable_epochs(const Plan& plan);

/// The epochs of `trained`, what this rank trained, from all ranks: on rank 0, by iteration and epoch; empty elsewhere.
/// Collective over world.
std::vector<EpochRecord> gather_epochs(const std::vector<TrainedIteration>& trained, const Communicator& world);

}  // namespace sheaf
