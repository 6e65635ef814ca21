// The study file in a run directory: the settled study, with the version of the program that wrote it. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "study/settled_study.hpp"

namespace sheaf {

/// A comment with the program's version, followed by study_file_text().
std::string stored_study_text(const SettledStudy& study);

/// The study of such a text. Keys of later versions than that which wrote it have the values with which it trained.
/// `path`: of its file, for messages. Throws UsageError as parse_study() does, and RunError if the text does not say
/// how the run was trained.
SettledStudy parse_stored_study(const std::string& text, const std::string& path);

/// The version in that comment, if the text has one.
std::optional<std::string> storing_version(const std::string& text);

/// Throws RunError if the text is empty, or, unless `forced`, if another version of the program wrote it. `path`
/// is its file, in the run directory, for the message.
void require_this_version(const std::string& text, const std::string& path, bool forced);

}  // namespace sheaf
