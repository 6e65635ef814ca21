// Creation and removal of directories, and removal of files.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace sheaf {

/// The absolute path of the current directory. Throws RunError if it was removed. Local.
std::string current_directory();

/// Creates `path` and its missing parents; a symbolic link to a directory counts as a directory. Returns the
/// directories that this call created, outermost first. Throws RunError after removing them again. Local.
std::vector<std::string> make_directories(const std::string& path);

/// Creates the directory `path`. Returns false if anything of that name exists. Throws RunError. Local.
bool make_new_directory(const std::string& path);

/// Throws RunError if `path` exists and is not a directory. A symbolic link does not count as a directory, even if it
/// leads to one, because files would be written to its target. Local.
void require_directory_or_nothing(const std::string& path);

/// Creates the directory `path` if it is missing. Throws RunError, also if require_directory_or_nothing() does. Local.
void make_directory(const std::string& path);

/// Removes a file if it exists. Throws RunError. Local.
void remove_file(const std::string& path);

/// Removes those of the directories that are empty, in reverse order. Local.
void remove_empty_directories(const std::vector<std::string>& directories);

}  // namespace sheaf
