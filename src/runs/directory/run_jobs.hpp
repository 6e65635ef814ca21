// The jobs that are training a run now, found from the locks of its directory.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runs/directory/directory_lock.hpp"

namespace sheaf {

/// The name of the lock of an array task, "lock-3-of-10", and its inverse; nothing for other names. Pure.
std::string task_lock_name(std::int64_t task, std::int64_t tasks);
struct TaskOfArray {
  std::int64_t task = 0, tasks = 1;
};
std::optional<TaskOfArray> parse_task_lock(const std::string& name);

/// A job that has the lock of a run directory, or of a slice of the run.
struct RunJob {
  LockHolder holder;
  std::optional<TaskOfArray> task;  ///< of an array task
};

struct RunJobs {
  std::vector<RunJob> jobs;  ///< the job that trains the whole study, or the array tasks in order
  bool is_known = true;      ///< false: there may be other jobs, since the state of a lock cannot be found
};

/// The jobs at work in a run directory, on any host. Creates and changes nothing. Local.
RunJobs find_run_jobs(const std::string& run_directory);

}  // namespace sheaf
