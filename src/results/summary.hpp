// What a finished run prints on stdout. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "options/study.hpp"
#include "plan/plan.hpp"
#include "results/leaderboard.hpp"

namespace sheaf {

/// Plain iterations: "Iteration 3 final loss: 1.0432" a line. A search: its leaderboard (the first 20) and the best
/// parameters. An ensemble: its members, and its own score.
std::string summary_text(const Study& study, const Plan& plan, const std::vector<IterationRecord>& records,
                         const std::vector<EnsembleRecord>& ensembles);

}  // namespace sheaf
