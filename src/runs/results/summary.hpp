// What a finished run prints on stdout. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "runs/results/run_results.hpp"
#include "study/plan.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Plain iterations: "Iteration 3 final loss: 1.0432" a line. A search: its leaderboard (the first 20) and the best
/// parameters. An ensemble: its members, and its own score. Then a line on the engines: "engine: torch 12 iterations (a
/// cnn has convolutions), native 88 iterations". With streamed data also how much was read and
/// waited for. Then what diverged or failed.
std::string summary_text(const Study& study, const Plan& plan, const RunResults& results);

}  // namespace sheaf
