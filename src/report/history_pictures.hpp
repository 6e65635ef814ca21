// The history of a run: its values one after another, and the spread of their folds. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "report/plot/picture.hpp"
#include "report/run_report.hpp"

namespace sheaf {

/// The best value so far over trials and over time, and the spread of the folds.
std::vector<Picture> history_pictures(const RunReport& report);

/// The best value so far over the seconds of several runs.
Picture compared_histories(const std::vector<RunReport>& reports);

}  // namespace sheaf
