// Parses a study file and the overrides of a command line into a Study. The only user of Boost.Program_options.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "study/study.hpp"

namespace sheaf {

/// Reads the text of a study file. Throws UsageError if it cannot be read or is not text. Local.
std::string read_study_text(const std::string& path);

/// A key and the text of its value.
struct Assignment {
  std::string key;
  std::string text;
};

/// Parses a study file. The overrides of the command line ("train.epochs", or "search.model.hidden" with candidates)
/// take precedence over the file. Checks for unknown or repeated keys, values of a wrong type or out of range, and keys
/// that contradict each other or have both a value and candidates. Relative paths of data and model files in the study
/// file are relative to its folder; all others are relative to the current directory (study/paths.hpp). Throws one
/// UsageError with all problems, one per line, or if the file cannot be read.
Study parse_study(const std::string& path, const std::vector<Assignment>& overrides);

/// Same, from a text without a folder: for tests, and for run directories, which store absolute paths. `origin` is its
/// name in messages.
Study parse_study_text(const std::string& text, const std::string& origin, const std::vector<Assignment>& overrides);

/// Same, for the stored study of a run that the overrides may extend: other lists or ranges than those of `text` hold
/// for the trials after its own (study/search_spaces.hpp). How many of these have begun is not known here: it is
/// assumed that all have.
Study parse_extension(const std::string& text, const std::string& origin, const std::vector<Assignment>& overrides);

/// Help text: those of `keys` that are keys of a study, with their values, defaults and descriptions, by section, at
/// most `width` columns wide.
std::string settings_help(const std::vector<std::string>& keys, int width = 100);

}  // namespace sheaf
