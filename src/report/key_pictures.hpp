// The searched keys: their importance, and the values of trials over them. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "report/plot/picture.hpp"
#include "report/run_report.hpp"

namespace sheaf {

/// The importance of the keys, the values of the trials over each of the most important keys, and parallel coordinates.
/// Requires a searched key and an object.
std::vector<Picture> key_pictures(const RunReport& report);

}  // namespace sheaf
