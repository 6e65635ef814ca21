// The files of a run directory.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "options/study.hpp"

namespace sheaf {

/// The directory of the study's run: run.output, or runs/<study.name>.
std::string run_directory(const Study& study);

/// The command that continues the run in the directory: "sheaf resume runs/x". Pure.
std::string resume_command_of(const std::string& directory);

/// Whether the directory holds a run, finished or not. Local.
bool holds_run(const std::string& directory);

/// Whether its results are there. Local.
bool holds_results(const std::string& directory);

/// Throws RunError when it does. Local.
void require_no_run(const std::string& directory);

/// Puts the resolved study into the directory, which exists, as study.cfg. Throws RunError. Local, for rank 0.
void write_study(const std::string& directory, const Study& study);

}  // namespace sheaf
