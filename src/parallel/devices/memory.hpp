// The memory that a process may use: all of the machine, or less where control groups (of a container, or of a batch
// system) limit it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sheaf {

/// The files that hold the memory limits of a process: one for its own control group and for each group above it, of
/// versions 1 and 2. `groups` and `mounts`: the text of /proc/self/cgroup and /proc/self/mountinfo. Pure.
std::vector<std::string> memory_limit_files(const std::string& groups, const std::string& mounts);

/// The bytes that such a file states; none: "max", or no number. Pure.
std::optional<std::int64_t> memory_limit(const std::string& text);

/// The least limit of the control groups of this process, in bytes; none: there is no limit. `root` is put before
/// every path. Local.
std::optional<std::int64_t> control_group_limit(const std::string& root = "");

/// Bytes of memory that this process may use. Local.
std::int64_t usable_memory_bytes();

}  // namespace sheaf
