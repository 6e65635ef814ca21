// The report of `sheaf status`, as text and as JSON. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "runs/run_reader.hpp"
#include "runs/run_status.hpp"

namespace sheaf {

/// A readable report of some lines.
std::string status_text(const RunState& run, const RunStatus& status);

/// One JSON object and a line end. Values that are not known are null.
std::string status_json(const RunState& run, const RunStatus& status);

/// "digits (random search, 20 trials, 3 folds)"; for a study without a search, "digits (8 iterations)".
std::string study_text(const RunState& run);

/// "running", "finished", "stopped" or "unknown".
const char* activity_name(RunActivity activity);

}  // namespace sheaf
