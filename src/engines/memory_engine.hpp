// Trains on data in memory.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "parallel/devices/lane_device.hpp"
#include "training/engine.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// An engine that trains each iteration by the engine_of() its trial (engine_choice.hpp). To be used in the lane's own
/// thread.
std::unique_ptr<Engine> make_memory_engine(const TrainingContext& context, LaneDevice device);

}  // namespace sheaf
