// SPDX-License-Identifier: MIT
#include "commands/info/system_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <sstream>
#include <vector>

#include "core/text.hpp"

namespace sheaf {
namespace {

constexpr double mib = 1 << 20, gib = 1 << 30;

bool is_below(const std::string& path, const std::string& directory) {
  if (directory == "/") return true;
  return path.compare(0, directory.size(), directory) == 0 &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

bool has_option(const Mount& mount, const std::string& option) {
  return ("," + mount.options + ",").find("," + option + ",") != std::string::npos;
}

// Whether the mount options restrict flock() to this host (nfs(5), mount.lustre(8)).
bool locks_on_one_host(const Mount& mount) {
  for (const char* option : {"nolock", "local_lock=all", "local_lock=flock", "localflock"})
    if (has_option(mount, option)) return true;
  return false;
}

std::string advice_on_locks(const Mount& mount) {
  if (mount.type == "lustre") return "Mount it with the option flock";
  if (mount.type.compare(0, 3, "nfs") == 0) return "Mount it with locks (a lock daemon on the server, without nolock)";
  return "Use a file system with locks";
}

}  // namespace

Mount mount_of(const std::string& path, const std::string& mounts) {
  // A line: "36 35 98:0 /root /mount_point options [fields...] - type source options" (proc(5)). Later mounts hide
  // earlier ones.
  Mount found;
  std::size_t longest = 0;
  std::istringstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream stream(line);
    const std::vector<std::string> fields{std::istream_iterator<std::string>(stream), {}};
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (dash - fields.begin() < 6 || fields.end() - dash < 4) continue;
    if (!is_below(path, fields[4]) || fields[4].size() < longest) continue;
    longest = fields[4].size();
    found = {dash[1], fields[5] + "," + dash[3]};
  }
  return found;
}

Finding lock_finding(const LockProbe& probe, const Mount& mount, const std::string& directory) {
  const char* const name = "locks";
  const std::string place = fmt::format("'{}'{}", directory, mount.type.empty() ? "" : " (" + mount.type + ")");
  if (probe.create_error != 0)
    return advice(name, fmt::format("{} cannot be written ({}). Start runs in a directory with write permission.",
                                    place, std::strerror(probe.create_error)));
  if (!probe.is_visible)
    return advice(name,
                  fmt::format("the host does not have the file that rank 0 wrote to {}. Start runs in a directory "
                              "that all hosts share.",
                              place));
  if (probe.lock_error != 0)
    return advice(name,
                  fmt::format("files in {} cannot be locked ({}), so two jobs can damage the same run. {}, or use a "
                              "run directory in one job at a time.",
                              place, std::strerror(probe.lock_error), advice_on_locks(mount)));
  if (!probe.is_exclusive || locks_on_one_host(mount))
    return advice(name,
                  fmt::format("locks in {} hold on one host only, so jobs on two hosts can damage the same run. {}, "
                              "or use a run directory in one job at a time.",
                              place, advice_on_locks(mount)));
  return fine(name, fmt::format("flock works in {}", place));
}

Finding disk_finding(const DiskFacts& facts) {
  const char* const name = "disk";
  const std::string space = fmt::format("{} free in '{}'", human_bytes(facts.free_bytes), facts.directory);
  if (facts.free_bytes < gib)
    return advice(name, fmt::format("only {}. Delete files, or set run.output to another disk.", space));
  if (facts.free_files && *facts.free_files < 10000)
    return advice(name,
                  fmt::format("only {} more files fit into '{}'. Delete files, or set run.output to another disk.",
                              *facts.free_files, facts.directory));
  return fine(name, space);
}

Finding memory_finding(const MemoryFacts& facts) {
  const char* const name = "memory";
  const std::string memory = human_bytes(facts.usable_bytes) + " per host";
  const std::string limit = facts.is_limited ? " (limit of the control group)" : "";
  if (facts.usable_bytes < static_cast<double>(facts.ranks) * 256 * mib)
    return advice(name, fmt::format("only {} for {}{}. Request more (--mem under Slurm), or start fewer ranks.", memory,
                                    counted(facts.ranks, "rank"), limit));
  if (facts.address_limit && *facts.address_limit < 8 * gib)
    return advice(name,
                  fmt::format("a process may have {} of addresses (ulimit -v), of which libraries reserve more than "
                              "they use. Remove this limit.",
                              human_bytes(*facts.address_limit)));
  return fine(name, memory + limit);
}

Finding shared_memory_finding(const MemoryFacts& facts) {
  const char* const name = "shared memory";
  if (facts.shared_bytes >= 256 * mib) return fine(name, "at least 256 MiB free in /dev/shm");
  if (facts.ranks == 1) return fine(name, "not needed by one rank per host");
  return advice(name,
                fmt::format("only {} free in /dev/shm, where the ranks of a host share the data. Enlarge it (in a "
                            "container: --shm-size), or start one rank per host.",
                            human_bytes(facts.shared_bytes)));
}

Finding open_files_finding(std::optional<std::int64_t> limit, std::int64_t ranks) {
  const char* const name = "open files";
  const std::int64_t needed = 128 + ranks;  // rank 0 may have a connection to each rank
  if (!limit) return fine(name, "no limit");
  if (*limit >= needed) return fine(name, fmt::format("{} per process", *limit));
  return advice(name,
                fmt::format("a process may open {} files (ulimit -n), and this job needs about {}. Raise the limit.",
                            *limit, needed));
}

}  // namespace sheaf
