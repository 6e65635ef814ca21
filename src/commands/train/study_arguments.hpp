// The arguments of the commands that take a study: run, resume, plan and verify. Local.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "commands/line/arguments.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Parses the study file of the arguments, and overrides. A data file is treated as a study that sets only data.file
/// and study.name. Throws one UsageError with the problems of the arguments and of the study, one per line.
Study study_from_arguments(const std::string& command, const Arguments& arguments);

/// Parses the stored study of the run directory of the arguments, and overrides; run.output becomes that directory.
/// Throws UsageError as above, and RunError if another version of the program stored the study, unless `forced`.
Study study_of_run(const std::string& command, const Arguments& arguments, bool forced);

/// The format of study files and all keys.
std::string study_help();

}  // namespace sheaf
