// The leaderboard as a table of a page. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include "report/html_table.hpp"
#include "report/run_report.hpp"

namespace sheaf {

/// The first 1000 trials, best first, with the values of their folds. Requires complete trials.
HtmlTable trial_board(const RunReport& report);

/// The best 1000 iterations of a run without a search.
HtmlTable iteration_board(const RunReport& report);

/// The ensemble of trials and its best member, and its members by weight. The run has an ensemble.
HtmlTable ensemble_board(const TrialEnsemble& ensemble);
HtmlTable member_board(const RunReport& report);

}  // namespace sheaf
