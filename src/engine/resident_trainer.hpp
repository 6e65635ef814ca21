// The resident engine: linear models and MLPs on a CPU, trained in the core's own caches without a framework.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "engine/training.hpp"

namespace sheaf {

/// Trains dense layers alone, with one thread.
std::unique_ptr<Trainer> make_resident_trainer();

}  // namespace sheaf
