// Trains iterations on data larger than memory.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "parallel/devices/lane_device.hpp"
#include "training/engine.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// Makes an Engine that trains its claims in rounds of `context.stream`, several models side by side as far as memory
/// allows. Use it only in the lane's own thread.
std::unique_ptr<Engine> make_streamed_engine(const TrainingContext& context, LaneDevice device);

}  // namespace sheaf
