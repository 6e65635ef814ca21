// Determines how much memory a process may use: the memory of the machine, or the limit of its control groups (set by a
// container or a batch system).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sheaf {

/// Returns the files with the memory limits of a process: one for its control group and one for each parent group, for
/// cgroup versions 1 and 2. `groups` and `mounts` are the texts of /proc/self/cgroup and /proc/self/mountinfo. Pure.
std::vector<std::string> memory_limit_files(const std::string& groups, const std::string& mounts);

/// Parses the text of such a file, in bytes. Returns nullopt for "max" and for anything that is not a number. Pure.
std::optional<std::int64_t> memory_limit(const std::string& text);

/// Returns the lowest limit of the control groups of this process, in bytes, or nullopt without a limit. `root` is
/// prepended to every path. Local.
std::optional<std::int64_t> control_group_limit(const std::string& root = "");

/// Returns the memory that this process may use, in bytes. Local.
std::int64_t usable_memory_bytes();

}  // namespace sheaf
