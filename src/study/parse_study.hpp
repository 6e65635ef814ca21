// Parses a study file and command-line overrides into a Study. The only user of Boost.Program_options.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "study/study.hpp"

namespace sheaf {

/// Reads the text of a study file. Throws UsageError if it cannot be read or is not text. Local.
std::string read_study_text(const std::string& path);

/// Parses a study file. Overrides ("--train.epochs=5", "--train.epochs 5" or "--search.model.hidden=16, 32") take
/// precedence over the file. Checks for unknown or repeated keys, unexpected arguments, values of a wrong type or out
/// of range, and keys that contradict each other. Throws one UsageError with all problems, one per line, or if the file
/// cannot be read.
Study parse_study(const std::string& path, const std::vector<std::string>& overrides);

/// Same, from a text: for tests and run directories. `origin` is its name in messages.
Study parse_study_text(const std::string& text, const std::string& origin, const std::vector<std::string>& overrides);

/// Help text: the keys with their values, defaults and descriptions, by section, at most `width` columns wide.
std::string settings_help(int width = 100);

}  // namespace sheaf
