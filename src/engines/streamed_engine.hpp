// Trains on a data set that is larger than memory.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "parallel/devices/lane_device.hpp"
#include "training/engine.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// An engine that takes its claims through `context.stream` in rounds, several models of the lane side by side as
/// memory allows. To be used in the lane's own thread.
std::unique_ptr<Engine> make_streamed_engine(const TrainingContext& context, LaneDevice device);

}  // namespace sheaf
