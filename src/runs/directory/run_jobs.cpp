// SPDX-License-Identifier: MIT
#include "runs/directory/run_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <tuple>
#include <utility>

namespace sheaf {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_begin = "lock-", name_middle = "-of-";

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && rest == end ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string task_lock_name(std::int64_t task, std::int64_t tasks) {
  return fmt::format("{}{}{}{}", name_begin, task, name_middle, tasks);
}

std::optional<TaskOfArray> parse_task_lock(const std::string& name) {
  const std::string_view text = name;
  const std::size_t middle = text.find(name_middle);
  if (text.substr(0, name_begin.size()) != name_begin || middle == std::string_view::npos || middle < name_begin.size())
    return std::nullopt;
  const auto task = parse_number(text.substr(name_begin.size(), middle - name_begin.size()));
  const auto tasks = parse_number(text.substr(middle + name_middle.size()));
  if (!task || !tasks || *task < 0 || *task >= *tasks) return std::nullopt;
  return TaskOfArray{*task, *tasks};
}

RunJobs find_run_jobs(const std::string& run_directory) {
  RunJobs found;
  const auto add = [&](const std::string& name, std::optional<TaskOfArray> task) {
    const FoundLock lock = find_lock(run_directory, name);
    if (lock.state == LockState::taken) found.jobs.push_back({lock.holder, task});
    if (lock.state == LockState::unknown) found.is_known = false;
  };
  add("lock", std::nullopt);
  std::error_code ignored;
  std::vector<std::pair<TaskOfArray, std::string>> tasks;
  for (const auto& entry : fs::directory_iterator(run_directory + "/journal", ignored))
    if (const std::string name = entry.path().filename().string(); const auto task = parse_task_lock(name))
      tasks.emplace_back(*task, name);
  std::sort(tasks.begin(), tasks.end(), [](const auto& one, const auto& other) {
    return std::tie(one.first.tasks, one.first.task) < std::tie(other.first.tasks, other.first.task);
  });
  for (const auto& [task, name] : tasks) add(name, task);
  return found;
}

}  // namespace sheaf
