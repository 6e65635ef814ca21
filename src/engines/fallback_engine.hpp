// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>

#include "training/engine.hpp"

namespace sheaf {

/// Makes an Engine that trains with `first`, which uses a GPU. After a GpuError it trains with the engine that
/// `make_other` returns: what is left of the claim, and all later claims. Use it only in the lane's own thread.
std::unique_ptr<Engine> make_fallback_engine(std::unique_ptr<Engine> first,
                                             std::function<std::unique_ptr<Engine>()> make_other);

}  // namespace sheaf
