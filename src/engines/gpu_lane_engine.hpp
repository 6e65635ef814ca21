// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>

#include "training/engine.hpp"

namespace sheaf {

/// Makes the Engine of a lane that trains with `on_gpu`. After a GpuError it trains with the engine that `make_on_core`
/// returns: the rest of the claim, and all later claims. If `make_on_core` is null, it throws the error. Once a GPU of
/// this process has failed, no `on_gpu` is destroyed any more: its memory and events would call the GPU, and errors in
/// destructors end the process. Use it only in the lane's own thread.
std::unique_ptr<Engine> make_gpu_lane_engine(std::unique_ptr<Engine> on_gpu,
                                             std::function<std::unique_ptr<Engine>()> make_on_core);

}  // namespace sheaf
