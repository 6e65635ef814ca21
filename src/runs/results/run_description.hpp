// The files summary.json and README.txt of a run directory: what was done, by whom, when and with which data, and how
// to use the model. For readers who find the directory a year later. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "runs/results/run_results.hpp"
#include "study/plan.hpp"

namespace sheaf {

struct Study;

/// The beginning of every readme_text(). A README.txt that begins otherwise was written by somebody else.
inline constexpr const char* readme_begin = "This directory holds a run of sheaf ";

/// README.txt, plain text. `directory`: the run directory, as in commands.
std::string readme_text(const std::string& directory, const Study& study, const Plan& plan, const RunResults& results);

/// A trial as a JSON object with its keys and means, as in the member "best" of summary.json.
std::string trial_json(const Study& study, const Plan& plan, const TrialSummary& trial);

/// summary.json: one object, indented. Numbers that are not finite are null; bytes that are not valid UTF-8 are
/// replaced.
std::string summary_json(const Study& study, const Plan& plan, const RunResults& results);

}  // namespace sheaf
