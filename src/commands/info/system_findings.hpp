// Checks of files, disk and memory. Their texts do not name hosts, so that equal hosts share a line. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "commands/info/finding.hpp"
#include "commands/info/lock_probe.hpp"

namespace sheaf {

/// A mounted file system.
struct Mount {
  std::string type;     ///< "ext4", "nfs4"; empty if unknown
  std::string options;  ///< separated by commas
};

/// The file system of the absolute path `path`. `mounts`: the text of /proc/self/mountinfo.
Mount mount_of(const std::string& path, const std::string& mounts);

/// `directory`: where runs go, on `mount`.
Finding lock_finding(const LockProbe& probe, const Mount& mount, const std::string& directory);

struct DiskFacts {
  std::string directory;
  double free_bytes = 0;
  std::optional<std::int64_t> free_files{};  ///< if the file system limits their number
};
Finding disk_finding(const DiskFacts& facts);

struct MemoryFacts {
  std::int64_t ranks = 1;                 ///< on this host
  double usable_bytes = 0;                ///< by all of them
  bool is_limited = false;                ///< by a control group
  std::optional<double> address_limit{};  ///< ulimit -v, in bytes
  double shared_bytes = 0;                ///< free in /dev/shm
};
Finding memory_finding(const MemoryFacts& facts);
Finding shared_memory_finding(const MemoryFacts& facts);

/// `limit`: ulimit -n; nullopt without one. `ranks`: of the job.
Finding open_files_finding(std::optional<std::int64_t> limit, std::int64_t ranks);

}  // namespace sheaf
