// The texts that are printed without MPI: help, version and completions. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sheaf {

/// The text printed for --help, help, --version or complete; nothing for other arguments. "sheaf help COMMAND TOPIC",
/// "sheaf COMMAND --help TOPIC" and "sheaf --help COMMAND TOPIC" are the same. "sheaf complete WORD..." prints the
/// completions() of the words. Throws UsageError for an unknown command or topic.
std::optional<std::string> text_answer(const std::vector<std::string>& arguments);

}  // namespace sheaf
