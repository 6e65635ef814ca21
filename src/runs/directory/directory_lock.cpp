// SPDX-License-Identifier: MIT
#include "runs/directory/directory_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>

#include "core/error.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "files/directories.hpp"
#include "files/regular_file.hpp"

namespace sheaf {
namespace {

constexpr std::string_view holder_begin = "process ", holder_middle = " on ";
constexpr auto retry_period = std::chrono::milliseconds(10);

// A job is refused after so many tries. Between them, find_lock() of another process releases its lock.
constexpr int max_lock_tries = 10;

// Returns the text of the job that has the lock. A job writes it right after it has locked the file, so this waits up
// to a second if the file is empty.
std::string read_holder(int descriptor) {
  std::array<char, 256> text{};
  for (int attempt = 0; attempt < 100; ++attempt) {
    const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
    if (size > 0) return printable(std::string(text.data(), static_cast<std::size_t>(size)));
    std::this_thread::sleep_for(retry_period);
  }
  return "another process";
}

// Writes host and process for the messages of other jobs. Ignores errors.
void write_holder(int descriptor) {
  std::array<char, 128> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string text = fmt::format("{}{}{}{}", holder_begin, ::getpid(), holder_middle, host.data());
  // Never empty in between: an empty file is a new one.
  if (::pwrite(descriptor, text.data(), text.size(), 0) < 0) return;
  if (::ftruncate(descriptor, static_cast<off_t>(text.size())) != 0) return;
}

bool is_empty(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && status.st_size == 0;
}

int operation(Hold hold) {
  if (hold == Hold::in_turn) return LOCK_EX;
  return (hold == Hold::alone ? LOCK_EX : LOCK_SH) | LOCK_NB;
}

std::string cannot_write(const std::string& path, int error) {
  return fmt::format("'{}' cannot be written ({}). The run directory needs free space and write permission.", path,
                     error == ELOOP ? "it is a symbolic link" : std::strerror(error));
}

int lock(int descriptor, int operation) {
  int outcome = 0;
  do outcome = ::flock(descriptor, operation);
  while (outcome != 0 && errno == EINTR);
  return outcome == 0 ? 0 : errno;
}

}  // namespace

LockHolder parse_holder(const std::string& text) {
  const std::size_t middle = text.find(holder_middle);
  if (text.compare(0, holder_begin.size(), holder_begin) != 0 || middle == std::string::npos) return {};
  LockHolder holder;
  const char* const end = text.data() + middle;
  const auto [rest, error] = std::from_chars(text.data() + holder_begin.size(), end, holder.process);
  if (error != std::errc{} || rest != end) return {};
  holder.host = text.substr(middle + holder_middle.size());
  return holder;
}

FoundLock find_lock(const std::string& run_directory, const std::string& name) {
  const std::string path = run_directory + "/journal/" + name;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return {errno == ENOENT ? LockState::free : LockState::unknown};
  FoundLock found;
  struct stat status {};
  const bool is_file = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  const int error = is_file ? lock(descriptor, LOCK_SH | LOCK_NB) : EINVAL;
  if (error == EWOULDBLOCK)
    found = {LockState::taken, parse_holder(read_holder(descriptor))};
  else if (error != 0)
    found.state = LockState::unknown;
  ::close(descriptor);
  return found;
}

DirectoryLock::DirectoryLock(const std::string& run_directory, const std::string& name, Hold hold)
    : directory_(run_directory), path_(run_directory + "/journal/" + name) {
  try {
    acquire(hold);
  } catch (const RunError&) {
    if (descriptor_ >= 0) ::close(descriptor_);
    remove_empty_directories(made_directories_);
    throw;
  }
}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

// A job that cannot begin its run removes its lock file while it has the lock. If this job had already opened that
// file, it gets a lock on a removed file, so it checks for this and tries again. The job that locks a new file first
// owns it, not the one that created it: the first one may have trained a whole run before the other gets its lock.
void DirectoryLock::acquire(Hold hold) {
  for (int tries = 1;; ++tries) {
    open_file();
    const int error = lock(descriptor_, operation(hold));
    if (error == EWOULDBLOCK && tries < max_lock_tries) {
      std::this_thread::sleep_for(retry_period);
      continue;
    }
    if (error == EWOULDBLOCK)
      throw DirectoryInUse(
          fmt::format("'{}' is in use by {}. Wait until it ends, or start a new run with another run.output.",
                      directory_, read_holder(descriptor_)));
    if (error != 0)
      return warn_root(fmt::format("'{}' cannot be locked ({}). Make sure that no other job uses this run directory.",
                                   path_, std::strerror(error)));
    if (is_in_place()) {
      is_new_ = is_empty(descriptor_);
      return write_holder(descriptor_);
    }
    ::close(std::exchange(descriptor_, -1));
  }
}

// Another job may remove directories that it created after this job has found them. This job then creates them again.
void DirectoryLock::open_file() {
  constexpr int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, max_tries = 100;
  const std::string journal = directory_ + "/journal";
  for (int tries = 1; descriptor_ < 0; ++tries) {
    require_directory_or_nothing(journal);
    for (auto& made : make_directories(journal)) made_directories_.push_back(std::move(made));
    descriptor_ = ::open(path_.c_str(), flags | O_CREAT | O_EXCL, 0666);
    if (descriptor_ < 0 && errno == EEXIST) descriptor_ = ::open(path_.c_str(), flags);
    require(descriptor_ >= 0 || (errno == ENOENT && tries < max_tries), cannot_write(path_, errno));
  }
  struct stat status {};
  ::fstat(descriptor_, &status);
  require(S_ISREG(status.st_mode),
          fmt::format("'{}' is {}, not a regular file. Remove it.", path_, file_kind(status.st_mode)));
}

bool DirectoryLock::is_in_place() const {
  struct stat own {
  }, named{};
  return ::fstat(descriptor_, &own) == 0 && ::lstat(path_.c_str(), &named) == 0 && own.st_dev == named.st_dev &&
         own.st_ino == named.st_ino;
}

void DirectoryLock::discard() {
  // Needs the exclusive lock, so that no other job loses the file of its shared lock.
  if (is_new_ && lock(descriptor_, LOCK_EX | LOCK_NB) == 0) ::unlink(path_.c_str());
  ::close(std::exchange(descriptor_, -1));
  remove_empty_directories(made_directories_);
}

}  // namespace sheaf
