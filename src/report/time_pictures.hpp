// Where the time of a run went. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "report/plot/picture.hpp"
#include "report/run_report.hpp"

namespace sheaf {

/// The parts of the time of all lanes, and the timeline of ranks and lanes.
std::vector<Picture> time_pictures(const RunReport& report);

}  // namespace sheaf
