// The resident engine: linear models and MLPs on a CPU, trained in the core's own caches without a framework.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "engine/training.hpp"

namespace sheaf {

/// Trains dense layers alone, with one thread. All its tasks are of trials of one plan, and evaluate only the rows that
/// their split holds out: memory and products are made once for each trial.
std::unique_ptr<Trainer> make_resident_trainer();

}  // namespace sheaf
