// SPDX-License-Identifier: MIT
#include "runs/directory/directory_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <thread>

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/sample_results.hpp"

using namespace sheaf;

namespace {

std::atomic<bool> locks_fail{false};

}  // namespace

// Replaces that of the C library, to fail as on a network file system without locks.
extern "C" int flock(int descriptor, int operation) {
  if (!locks_fail) return static_cast<int>(::syscall(SYS_flock, descriptor, operation));
  errno = ENOLCK;
  return -1;
}

TEST_CASE("a file system without locks gives a warning, and the run continues") {
  const Scratch scratch("directory_lock_test");
  const std::string directory = scratch.path.string();
  const std::string log = (scratch.path / "log").string();
  const int terminal = ::dup(STDERR_FILENO), file = ::open(log.c_str(), O_WRONLY | O_CREAT, 0600);
  REQUIRE((terminal >= 0 && file >= 0));
  ::dup2(file, STDERR_FILENO);
  locks_fail = true;
  CHECK_NOTHROW(DirectoryLock(directory, "lock"));
  locks_fail = false;
  ::dup2(terminal, STDERR_FILENO);
  ::close(terminal);
  ::close(file);
  CHECK_THAT(text_of(log), ContainsSubstring("lock' cannot be locked (No locks available). Make sure that no other job "
                                             "uses this run directory."));
}

TEST_CASE("only one process can hold the lock, and the error names it") {
  const Scratch scratch("directory_lock_test");
  const std::string directory = scratch.path.string();
  std::optional<DirectoryLock> first;
  first.emplace(directory, "lock");
  CHECK_THROWS_WITH(DirectoryLock(directory, "lock"),
                    ContainsSubstring("process " + std::to_string(::getpid())) &&
                        EndsWith("Wait until it ends, or start a new run with another run.output."));
  CHECK_NOTHROW(DirectoryLock(directory, "other"));
  first.reset();
  CHECK_NOTHROW(DirectoryLock(directory, "lock"));
}

TEST_CASE("a shared lock admits other shared locks and excludes exclusive ones") {
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

TEST_CASE("a lock with Hold::in_turn waits until the lock is free") {
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

TEST_CASE("killing a process releases its lock") {
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

TEST_CASE("discarding a lock removes what it created, except what other locks use") {
  namespace fs = std::filesystem;
  const Scratch scratch("directory_lock_test");
  const std::string run = (scratch.path / "a" / "run").string();
  DirectoryLock(run, "lock").discard();
  CHECK(fs::is_empty(scratch.path));

  std::optional<DirectoryLock> first, second;
  first.emplace(run, "lock", Hold::shared);
  second.emplace(run, "lock", Hold::shared);
  first->discard();
  CHECK(fs::exists(run + "/journal/lock"));
  CHECK_THROWS_AS(DirectoryLock(run, "lock"), RunError);  // the second lock still holds it
  second->discard();
  CHECK(fs::exists(run + "/journal/lock"));  // the second lock did not create this file
  DirectoryLock(run, "own").discard();
  CHECK_FALSE(fs::exists(run + "/journal/own"));
}

TEST_CASE("discarding a lock removes its file only if no other job has locked it before") {
  namespace fs = std::filesystem;
  const Scratch scratch("directory_lock_test");
  const std::string run = scratch.path.string();
  { const DirectoryLock earlier(run, "lock"); }
  DirectoryLock(run, "lock").discard();
  CHECK(fs::exists(run + "/journal/lock"));
  // A job has created this file, and this job locks it first.
  std::ofstream(run + "/journal/new").close();
  DirectoryLock(run, "new").discard();
  CHECK_FALSE(fs::exists(run + "/journal/new"));
}

TEST_CASE("waiting for a lock whose file is removed creates a new file") {
  namespace fs = std::filesystem;
  const Scratch scratch("directory_lock_test");
  const std::string run = (scratch.path / "run").string();
  std::optional<DirectoryLock> first;
  first.emplace(run, "lock", Hold::in_turn);
  std::atomic<bool> waits{false}, has_turn{false}, file_exists{false}, is_refused{false};
  std::thread other([&] {
    waits = true;
    const DirectoryLock lock(run, "lock", Hold::in_turn);
    has_turn = true;
    file_exists = fs::exists(run + "/journal/lock");
    try {
      const DirectoryLock second(run, "lock");
    } catch (const RunError&) {
      is_refused = true;
    }
  });
  while (!waits) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // most likely, the thread waits for the lock now
  CHECK_FALSE(has_turn);
  first->discard();
  other.join();
  CHECK(has_turn);
  CHECK(file_exists);
  CHECK(is_refused);
}

TEST_CASE("a lock is a regular file in the run directory, not behind a symbolic link") {
  namespace fs = std::filesystem;
  const Scratch scratch("directory_lock_test");
  const fs::path run = scratch.path / "run", outside = scratch.path / "outside";
  fs::create_directories(outside);
  fs::create_directories(run / "journal");
  std::ofstream(outside / "file") << "text";
  fs::create_symlink(outside / "file", run / "journal" / "lock");
  CHECK_THROWS_WITH(DirectoryLock(run.string(), "lock"),
                    EndsWith("lock' cannot be written (it is a symbolic link). The run directory needs free space and "
                             "write permission."));
  CHECK(text_of(outside / "file") == "text");
  fs::remove(run / "journal" / "lock");
  fs::create_symlink(outside / "absent", run / "journal" / "lock");
  CHECK_THROWS_AS(DirectoryLock(run.string(), "lock"), RunError);
  CHECK_FALSE(fs::exists(outside / "absent"));
  fs::remove(run / "journal" / "lock");
  REQUIRE(::mkfifo((run / "journal" / "lock").c_str(), 0666) == 0);
  CHECK_THROWS_WITH(DirectoryLock(run.string(), "lock"), ContainsSubstring("lock' is a pipe (FIFO)"));
  fs::remove_all(run / "journal");
  fs::create_directory_symlink(outside, run / "journal");
  CHECK_THROWS_WITH(DirectoryLock(run.string(), "lock"), ContainsSubstring("journal' is a symbolic link"));
  CHECK_FALSE(fs::exists(outside / "lock"));
  fs::remove_all(run);
  fs::create_directory_symlink(outside, run);
  CHECK_NOTHROW(DirectoryLock(run.string(), "lock"));
  CHECK(fs::exists(outside / "journal" / "lock"));
}

TEST_CASE("find_lock finds the process that has an exclusive lock, and leaves no trace") {
  const Scratch scratch("directory_lock_test");
  const std::string directory = scratch.path.string();
  CHECK(find_lock(directory, "lock").state == LockState::free);
  CHECK(std::filesystem::is_empty(scratch.path));
  std::optional<DirectoryLock> lock;
  lock.emplace(directory, "lock");
  const std::string content = text_of(scratch.path / "journal" / "lock");
  const FoundLock found = find_lock(directory, "lock");
  CHECK(found.state == LockState::taken);
  CHECK(found.holder.process == ::getpid());
  CHECK_FALSE(found.holder.host.empty());
  lock.reset();
  CHECK(find_lock(directory, "lock").state == LockState::free);
  CHECK(text_of(scratch.path / "journal" / "lock") == content);
  lock.emplace(directory, "lock", Hold::shared);
  CHECK(find_lock(directory, "lock").state == LockState::free);
  locks_fail = true;
  CHECK(find_lock(directory, "lock").state == LockState::unknown);
  locks_fail = false;
  std::filesystem::create_symlink("lock", scratch.path / "journal" / "link");
  CHECK(find_lock(directory, "link").state == LockState::unknown);
  ::mkfifo((scratch.path / "journal" / "pipe").c_str(), 0600);
  CHECK(find_lock(directory, "pipe").state == LockState::unknown);
}

TEST_CASE("a job is not refused because another process looks for the lock") {
  const Scratch scratch("directory_lock_test");
  const std::string directory = scratch.path.string();
  { const DirectoryLock made(directory, "lock"); }
  const int looking = ::open((directory + "/journal/lock").c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(flock(looking, LOCK_SH | LOCK_NB) == 0);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    ::close(looking);
  });
  CHECK_NOTHROW(DirectoryLock(directory, "lock"));
  other.join();
}

TEST_CASE("the holder of a lock is read from the text of its file") {
  CHECK(parse_holder("process 123 on node1").process == 123);
  CHECK(parse_holder("process 123 on node1").host == "node1");
  for (const char* text : {"", "another process", "process x on node1", "process 12", "process 1 2 on node1"}) {
    CAPTURE(text);
    CHECK(parse_holder(text).host.empty());
    CHECK(parse_holder(text).process == 0);
  }
}
