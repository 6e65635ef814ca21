// The report of a run as JSON, for programs. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "report/run_report.hpp"

namespace sheaf {

/// One object on one line: that of status_json(), with the trials, importances, times, advice and the command that
/// repeats the best trial.
std::string json_report(const RunReport& report);

}  // namespace sheaf
