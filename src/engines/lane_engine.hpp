// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "parallel/devices/lane_device.hpp"
#include "training/engine.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// The engine of a lane: trains each iteration by the engine_of() its trial (engine_choice.hpp), on data in memory or
/// streamed. To be used in the lane's own thread. Training throws RunError when the device cannot be used.
std::unique_ptr<Engine> make_engine(const TrainingContext& context, LaneDevice device);

}  // namespace sheaf
