// Trains iterations on data in memory.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "parallel/devices/lane_device.hpp"
#include "training/engine.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// Makes an Engine that trains each iteration with the engine_of() its trial (engine_choice.hpp). Use it only in the
/// lane's own thread.
std::unique_ptr<Engine> make_memory_engine(const TrainingContext& context, LaneDevice device);

}  // namespace sheaf
