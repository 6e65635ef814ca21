// SPDX-License-Identifier: MIT
#include "journal/directory_lock.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include "core/error.hpp"
#include "sample_records.hpp"
#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("one holds the lock at a time, and the other is told who") {
  const Scratch scratch("directory_lock_test");
  const std::string directory = scratch.path.string();
  std::optional<DirectoryLock> first;
  first.emplace(directory, "lock");
  CHECK_THROWS_WITH(DirectoryLock(directory, "lock"), ContainsSubstring("process " + std::to_string(::getpid())));
  CHECK_NOTHROW(DirectoryLock(directory, "other"));
  first.reset();
  CHECK_NOTHROW(DirectoryLock(directory, "lock"));
}

TEST_CASE("some share the lock, and keep out who wants it alone") {
  const Scratch scratch("directory_lock_test");
  const std::string directory = scratch.path.string();
  std::optional<DirectoryLock> first, second;
  first.emplace(directory, "lock", Hold::shared);
  second.emplace(directory, "lock", Hold::shared);
  first.reset();
  CHECK_THROWS_AS(DirectoryLock(directory, "lock"), RunError);
  second.reset();
  first.emplace(directory, "lock");
  CHECK_THROWS_AS(DirectoryLock(directory, "lock", Hold::shared), RunError);
}

TEST_CASE("who takes turns waits") {
  const Scratch scratch("directory_lock_test");
  const std::string directory = scratch.path.string();
  std::optional<DirectoryLock> first;
  first.emplace(directory, "lock", Hold::in_turn);
  std::atomic<bool> has_turn{false};
  std::thread other([&] {
    const DirectoryLock lock(directory, "lock", Hold::in_turn);
    has_turn = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK_FALSE(has_turn);
  first.reset();
  other.join();
  CHECK(has_turn);
}

TEST_CASE("the lock of a killed process is free") {
  const Scratch scratch("directory_lock_test");
  const std::string directory = scratch.path.string();
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const DirectoryLock lock(directory, "lock");
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(0);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK_THROWS_AS(DirectoryLock(directory, "lock"), RunError);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK_NOTHROW(DirectoryLock(directory, "lock"));
}
