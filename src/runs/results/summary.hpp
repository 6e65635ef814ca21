// The summary that a finished run prints on stdout. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runs/results/run_results.hpp"
#include "study/plan.hpp"

namespace sheaf {

struct Study;

/// The best trial: "train.learning_rate = 0.01 (mean accuracy 0.9250 over 2 folds)", or "none (...)" if no
/// trial has only finished iterations. If the score is not defined for any trial, the validation loss is shown, by
/// which they are then ranked. If it is not defined in some folds, their number is shown. `trials`: best first.
std::string best_text(const Study& study, const Plan& plan, const std::vector<TrialSummary>& trials);

/// "loss 0.123, accuracy 0.9412, ... on 180 rows".
std::string test_text(const TestResult& test);

/// How long a trial is trained again: "420 steps (median best epoch 6)", or "600 steps (10 epochs of the median fit)"
/// if its fits do not keep their best epoch.
std::string refit_length_text(const Refit& refit, const TrainOptions& train);

/// "the best trial was trained again on all 1797 rows for 420 steps (median best epoch 6)", and how many of its members
/// have not finished.
std::string refit_text(const Plan& plan, const RunResults& results);

/// Where the models are with which the run predicts, and how to predict with them: "best model:
/// runs/x/models/iteration-12.pt; predict with: sheaf predict runs/x NEW.csv OUT.csv", or "refit: ...". There is at
/// least one model.
std::string models_line(const std::string& directory, const RunResults& results);

/// For a search, the leaderboard with the first 20 trials, the number of trials whose score is not defined in some
/// folds, and the best values of the searched keys. Otherwise one line per iteration, "Iteration 3 final loss: 1.0432",
/// or with more than max_listed iterations a table of mean, standard deviation, minimum and maximum; and for an
/// ensemble its scores. A metric of run.metrics that is the score is shown once. Then lines for the refit, the ensemble
/// of trials and its members, the test rows and the engines: "engine: torch 12 iterations (the network has
/// convolutions), native 88 iterations"; for several lanes, how long they were idle. For streamed data, the bytes read
/// and the time spent waiting for them. Last, the numbers of pruned, diverged and failed iterations. `width`: of the
/// leaderboard, in columns.
std::string summary_text(const Study& study, const Plan& plan, const RunResults& results, std::size_t width);

}  // namespace sheaf
