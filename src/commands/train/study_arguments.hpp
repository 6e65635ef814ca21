// The arguments of the commands that take a study: run, resume and plan. Local.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "study/study.hpp"

namespace sheaf {

/// The study that the arguments name: a study file, then overrides. Throws UsageError.
Study study_from_arguments(const std::string& command, const std::vector<std::string>& arguments);

/// The study of the run directory that the arguments name first, with that directory as run.output; then overrides.
/// Throws UsageError, and RunError when another version of the program stored it, unless `forced`.
Study study_of_run(const std::vector<std::string>& arguments, bool forced);

/// Whether `flag` is among the arguments; removes it from them. Throws UsageError when it has a value or is given
/// twice.
bool take_flag(std::vector<std::string>& arguments, const std::string& flag);

/// How study files are written, and all keys.
std::string study_help();

}  // namespace sheaf
