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

/// The cost of the run, how much of it is lost, and what was expected. One sentence each.
std::vector<std::string> cost_sentences(const RunReport& report);

/// One line that says what the run has found.
std::string verdict_of(const RunReport& report);

/// One line each about the refit and about the ensemble of trials; nothing without one.
std::optional<std::string> refit_verdict(const RunReport& report);
std::optional<std::string> ensemble_verdict(const RunReport& report);

}  // namespace sheaf
