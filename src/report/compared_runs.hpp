// Several runs side by side. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/run_report.hpp"

namespace sheaf {

/// One row per run after a header: directory, study, state, iterations, ranked trials or iterations, the value by which
/// they are ranked, the best one, seconds, lanes and core-seconds. Numbers that are not known are empty.
std::vector<std::vector<std::string>> comparison_table(const std::vector<RunReport>& reports);

/// The same as CSV.
std::string comparison_csv(const std::vector<RunReport>& reports);

}  // namespace sheaf
