// The study file that a run directory keeps: the study with the version of the program that settled it. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "study/study.hpp"

namespace sheaf {

/// study_file_text() below a comment with the program's version.
std::string stored_study_text(const Study& study);

/// The version in that comment; none: the text has no such comment.
std::optional<std::string> storing_version(const std::string& text);

/// Throws RunError when the text is empty, or when another version of the program stored it, unless `forced`.
/// `directory` names the run in the message.
void require_this_version(const std::string& text, const std::string& directory, bool forced);

}  // namespace sheaf
