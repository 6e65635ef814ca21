// Directories made for new files.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace sheaf {

/// Makes `path` and its missing parents; a symbolic link to a directory counts as one. Returns the directories that
/// this call made, the outermost first. Throws RunError, and then leaves none of them behind. Local.
std::vector<std::string> make_directories(const std::string& path);

/// Makes the directory `path`; returns false when there is something of that name, whatever it is. Throws RunError.
/// Local.
bool make_new_directory(const std::string& path);

/// Throws RunError when `path` is there and is not a directory. A symbolic link is none, not even one to a directory:
/// files would be written wherever it leads. Local.
void require_directory_or_nothing(const std::string& path);

/// Makes the directory `path` unless it is there, as require_directory_or_nothing wants it. Throws RunError. Local.
void make_directory(const std::string& path);

/// Removes those of the directories that are empty, the last first. Local.
void remove_empty_directories(const std::vector<std::string>& directories);

}  // namespace sheaf
