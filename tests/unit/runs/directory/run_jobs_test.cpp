// SPDX-License-Identifier: MIT
#include "runs/directory/run_jobs.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "support/catch.hpp"
#include "support/sample_results.hpp"

using namespace sheaf;

TEST_CASE("the job of a whole study is the one that has the lock of the directory") {
  const Scratch scratch("run_jobs_test");
  const std::string directory = scratch.path.string();
  CHECK(find_run_jobs(directory).jobs.empty());
  CHECK(find_run_jobs(directory).is_known);
  const DirectoryLock lock(directory, "lock");
  const RunJobs found = find_run_jobs(directory);
  REQUIRE(found.jobs.size() == 1);
  CHECK(found.jobs.front().holder.process == ::getpid());
  CHECK_FALSE(found.jobs.front().task.has_value());
}

TEST_CASE("the jobs of an array are the tasks that have the lock of their slice, in order") {
  const Scratch scratch("run_jobs_test");
  const std::string directory = scratch.path.string();
  const DirectoryLock shared(directory, "lock", Hold::shared), turn(directory, "lock-files", Hold::in_turn);
  const DirectoryLock last(directory, task_lock_name(10, 12)), first(directory, task_lock_name(2, 12));
  { const DirectoryLock ended(directory, task_lock_name(3, 12)); }
  const RunJobs found = find_run_jobs(directory);
  REQUIRE(found.jobs.size() == 2);
  CHECK(found.jobs[0].task->task == 2);
  CHECK(found.jobs[1].task->task == 10);
  CHECK(found.jobs[1].task->tasks == 12);
  CHECK(found.is_known);
}

TEST_CASE("a lock that cannot be read leaves the jobs unknown") {
  const Scratch scratch("run_jobs_test");
  std::filesystem::create_directories(scratch.path / "journal" / "lock");
  CHECK_FALSE(find_run_jobs(scratch.path.string()).is_known);
}

TEST_CASE("only the names of task locks are those of tasks") {
  REQUIRE(parse_task_lock(task_lock_name(3, 10)).has_value());
  CHECK(parse_task_lock("lock-3-of-10")->task == 3);
  CHECK(parse_task_lock("lock-3-of-10")->tasks == 10);
  for (const char* name : {"lock", "lock-files", "lock-10-of-10", "lock--1-of-2", "lock-a-of-2", "lock-1-of-",
                           "lock-1-of-2x", "-of-2", "lock-of-2", "block-1-of-2"}) {
    CAPTURE(name);
    CHECK_FALSE(parse_task_lock(name).has_value());
  }
}
