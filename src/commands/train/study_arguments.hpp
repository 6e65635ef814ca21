// The arguments of the commands that take a study: run, resume and plan. Local.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "study/study.hpp"

namespace sheaf {

/// Parses a study file, followed by overrides. Throws UsageError.
Study study_from_arguments(const std::string& command, const std::vector<std::string>& arguments);

/// Parses the stored study of a run directory, the first argument, followed by overrides; run.output becomes that
/// directory. Throws UsageError, and RunError if another version of the program stored the study, unless `forced`.
Study study_of_run(const std::vector<std::string>& arguments, bool forced);

/// Removes `flag` from the arguments and returns whether it was there. Throws UsageError if it has a value or is given
/// twice.
bool take_flag(std::vector<std::string>& arguments, const std::string& flag);

/// The format of study files and all keys.
std::string study_help();

}  // namespace sheaf
