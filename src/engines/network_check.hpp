// Whether the networks of a study fit its data, found out before anything is trained.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "models/network_layout.hpp"
#include "study/plan.hpp"

namespace sheaf {

/// The number of trained parameters of each trial's network: counted where there is a layout, told by LibTorch where a
/// module comes from a file. Throws UsageError and RunError with what is wrong of the study or a file. Local.
std::vector<std::int64_t> check_networks(const std::vector<Trial>& trials, const DataShape& shape);

}  // namespace sheaf
