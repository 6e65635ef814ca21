// What stands on the command line before the study's own keys.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options/study.hpp"

namespace sheaf {

/// The text that answers --help, --version or no command at all; none when the words name a command to run.
/// `words`: argv without the program's name. Local, pure.
std::optional<std::string> text_answer(const std::vector<std::string>& words);

/// The study that `words` name: a study file, then overrides. Throws UsageError. Local.
Study study_from_words(const std::string& command, const std::vector<std::string>& words);

/// The study of the run directory that `words` name first, with its own place as run.output; then overrides. Throws
/// UsageError, and RunError when another version of the program stored it, unless `forced`. Local.
Study study_of_run(const std::vector<std::string>& words, bool forced);

/// Whether `flag` is among the words, which lose it. Local.
bool take_flag(std::vector<std::string>& words, const std::string& flag);

/// Names of all commands.
const std::vector<std::string>& command_names();

}  // namespace sheaf
