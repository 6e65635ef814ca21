// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "parallel/devices/lane_device.hpp"
#include "training/engine.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// Makes the Engine of a lane, for data in memory or streamed data. It trains each iteration with the engine_of() its
/// trial (engine_choice.hpp). Use it only in the lane's own thread. Training throws RunError if the device cannot be
/// used.
std::unique_ptr<Engine> make_engine(const TrainingContext& context, LaneDevice device);

}  // namespace sheaf
