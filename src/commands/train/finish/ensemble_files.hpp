// The files of an ensemble of trials: models/ensemble.json and, for networks with a layout, models/ensemble.pt.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "runs/results/trial_ensemble.hpp"

namespace sheaf {

/// Writes ensemble.pt, if all members are networks with a layout and have at most 1 GiB, then ensemble.json, each
/// atomically. Sets TrialEnsemble::has_module. The models of the members must be in the run directory. Throws RunError.
/// Local, for rank 0.
void write_ensemble_files(const std::string& run_directory, TrialEnsemble& ensemble);

/// Removes the files that an earlier job may have written. Throws RunError. Local, for rank 0.
void remove_ensemble_files(const std::string& run_directory);

}  // namespace sheaf
