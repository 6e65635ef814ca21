// Study file and command line to a Study. The only place that knows Boost.Program_options.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "study/study.hpp"

namespace sheaf {

/// The text of a study file. Throws UsageError when it cannot be read or is no text. Local.
std::string read_study_text(const std::string& path);

/// Reads the study file, then lets the overrides ("--train.epochs=5" or "--train.epochs 5", and the bare
/// "--search.model.hidden=16, 32") win. Sections and keys are strict: unknown ones, repeated ones, stray arguments,
/// values of a wrong type or range, and what does not fit together are all gathered and thrown as one UsageError, a
/// problem a line. Throws UsageError when the file cannot be read.
Study parse_study(const std::string& path, const std::vector<std::string>& overrides);

/// The same from a text, for tests and for run directories. `origin` names it in messages.
Study parse_study_text(const std::string& text, const std::string& origin, const std::vector<std::string>& overrides);

/// The keys with their values, defaults and help, by section, at most `width` columns wide.
std::string settings_help(int width = 100);

}  // namespace sheaf
