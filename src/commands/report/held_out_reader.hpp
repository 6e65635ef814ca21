// Reads the predictions for the held-out rows of the best trial, which a report shows.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "report/run_report.hpp"

namespace sheaf {

/// Sets `held_out` of a report, or the reason why there are none. A damaged file is left out with a warning. Local.
void read_held_out(RunReport& report);

/// Replaces the predictions of the members of an ensemble, [members, rows, outputs], by their mean, [rows, outputs].
/// Pure.
void average_members(std::vector<double>& predictions, std::size_t members);

}  // namespace sheaf
