// Checks before the training whether modules from files fit a study's data.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "engines/torch_backend.hpp"
#include "models/network_layout.hpp"
#include "study/plan.hpp"

namespace sheaf {

/// Loads the module of each trial, makes it in the trial's precision and calls it with two rows of zeros. Throws
/// UsageError or RunError for errors in the study or a file. Local.
std::vector<ModuleFacts> check_modules(const std::vector<Trial>& trials, const DataShape& shape);

}  // namespace sheaf
