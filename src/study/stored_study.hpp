// The study file in a run directory: the settled study, with the version of the program that wrote it. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

namespace sheaf {

struct Study;

/// A comment with the program's version, followed by study_file_text().
std::string stored_study_text(const Study& study);

/// The version in that comment, if the text has one.
std::optional<std::string> storing_version(const std::string& text);

/// Throws RunError if the text is empty, or, unless `forced`, if another version of the program wrote it. `path`
/// is its file, in the run directory, for the message.
void require_this_version(const std::string& text, const std::string& path, bool forced);

}  // namespace sheaf
