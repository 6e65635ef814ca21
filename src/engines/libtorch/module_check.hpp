// Whether modules from files fit a study's data, found out before anything is trained.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "models/network_layout.hpp"
#include "study/plan.hpp"

namespace sheaf {

/// The number of trained parameters of each trial's module, which is loaded, made in the trial's precision, and shown
/// two rows of zeros. Throws UsageError and RunError with what is wrong of the study or a file. Local.
std::vector<std::int64_t> check_modules(const std::vector<Trial>& trials, const DataShape& shape);

}  // namespace sheaf
