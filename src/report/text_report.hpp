// The report of a run as text for a terminal. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/run_report.hpp"

namespace sheaf {

/// The state of the run, what was run, the leaderboard, importances of the searched keys, time and cost, how to repeat
/// the best trial, and what to do next. `width`: of the leaderboard, in columns.
std::string text_report(const RunReport& report, std::size_t width);

/// The leaderboard as CSV, with all trials; without a search, the iterations, as in results.csv.
std::string csv_report(const RunReport& report);

/// What the time was spent on: names, seconds of all lanes, and percent. Without parts that took none.
std::vector<std::vector<std::string>> time_rows(const RunReport& report);

/// "12 lane-seconds" and the core-seconds, in one sentence.
std::string cost_text(const RunReport& report);

/// One line that says what the run has found.
std::string verdict_of(const RunReport& report);

/// One line each about the refit and about the ensemble of trials; nothing without one.
std::optional<std::string> refit_verdict(const RunReport& report);
std::optional<std::string> ensemble_verdict(const RunReport& report);

}  // namespace sheaf
