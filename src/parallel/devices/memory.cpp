// SPDX-License-Identifier: MIT
#include "parallel/devices/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

namespace sheaf {
namespace {

bool begins_with(const std::string& text, const std::string& beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

// Returns whether a comma-separated list contains the item.
bool lists(const std::string& items, const std::string& wanted) {
  std::istringstream stream(items);
  for (std::string item; std::getline(stream, item, ',');)
    if (item == wanted) return true;
  return false;
}

// A mounted hierarchy of control groups that may limit memory.
struct Hierarchy {
  bool unified = false;     // version 2
  std::string root;         // the group that is mounted
  std::string mount_point;  // the directory where it is mounted
};

// Parses a line of mountinfo: "36 35 98:0 /root /mount_point options [fields...] - type source options" (proc(5)).
std::optional<Hierarchy> read_mount(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> fields{std::istream_iterator<std::string>(stream), {}};
  const auto dash = std::find(fields.begin(), fields.end(), "-");
  if (dash - fields.begin() < 6 || fields.end() - dash < 4) return std::nullopt;
  const std::string &type = dash[1], &options = dash[3];
  if (type != "cgroup2" && !(type == "cgroup" && lists(options, "memory"))) return std::nullopt;
  return Hierarchy{type == "cgroup2", fields[3], fields[4]};
}

// Returns the group of the process in the hierarchy, if any. Lines have the form "number:controllers:/group"
// (cgroups(7)).
std::optional<std::string> group_in(const Hierarchy& hierarchy, const std::string& groups) {
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (hierarchy.unified ? controllers.empty() : lists(controllers, "memory")) return line.substr(second + 1);
  }
  return std::nullopt;
}

// Returns the path of the group relative to the mounted group. In a container the group may be outside of the mounted
// one; then the mounted group is its own.
std::string below_root(const std::string& group, const std::string& root) {
  if (group == "/" || begins_with(group, "/..")) return "";
  if (root == "/") return group;
  return begins_with(group, root + "/") ? group.substr(root.size()) : "";
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::vector<std::string> memory_limit_files(const std::string& groups, const std::string& mounts) {
  std::vector<std::string> files;
  std::istringstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    const auto hierarchy = read_mount(line);
    if (!hierarchy) continue;
    const auto group = group_in(*hierarchy, groups);
    if (!group) continue;
    const char* name = hierarchy->unified ? "/memory.max" : "/memory.limit_in_bytes";
    std::string below = below_root(*group, hierarchy->root);
    for (; !below.empty(); below.resize(below.rfind('/'))) files.push_back(hierarchy->mount_point + below + name);
    files.push_back(hierarchy->mount_point + name);
  }
  return files;
}

std::optional<std::int64_t> memory_limit(const std::string& text) {
  std::int64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc{} && bytes > 0 ? std::optional(bytes) : std::nullopt;
}

std::optional<std::int64_t> control_group_limit(const std::string& root) {
  std::optional<std::int64_t> least;
  for (const auto& file :
       memory_limit_files(read_text(root + "/proc/self/cgroup"), read_text(root + "/proc/self/mountinfo")))
    if (const auto limit = memory_limit(read_text(root + file))) least = std::min(least.value_or(*limit), *limit);
  return least;
}

std::int64_t usable_memory_bytes() {
  const auto machine = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  return std::min(machine, control_group_limit().value_or(machine));
}

}  // namespace sheaf
