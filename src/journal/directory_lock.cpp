// SPDX-License-Identifier: MIT
#include "journal/directory_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/error.hpp"
#include "core/log.hpp"

namespace sheaf {
namespace {

std::string read_holder(int descriptor) {
  std::array<char, 256> text{};
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "another process";
}

// For the message of a job that comes later; what cannot be written is not told.
void write_holder(int descriptor) {
  std::array<char, 128> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string text = fmt::format("process {} on {}", ::getpid(), host.data());
  if (::ftruncate(descriptor, 0) != 0 || ::pwrite(descriptor, text.data(), text.size(), 0) < 0) return;
}

int operation(Hold hold) {
  if (hold == Hold::in_turn) return LOCK_EX;
  return (hold == Hold::alone ? LOCK_EX : LOCK_SH) | LOCK_NB;
}

}  // namespace

DirectoryLock::DirectoryLock(const std::string& run_directory, const std::string& name, Hold hold) {
  namespace fs = std::filesystem;
  const fs::path path = fs::path(run_directory) / "journal" / name;
  std::error_code made;
  fs::create_directories(path.parent_path(), made);
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  require(descriptor_ >= 0,
          fmt::format("'{}' cannot be written ({}). Choose a place with room where you may write, by run.output.",
                      path.string(), std::strerror(errno)));
  int outcome = 0;
  do outcome = ::flock(descriptor_, operation(hold));
  while (outcome != 0 && errno == EINTR);
  if (outcome == 0) {
    write_holder(descriptor_);
  } else if (errno == EWOULDBLOCK) {
    const std::string holder = read_holder(descriptor_);
    ::close(descriptor_);
    throw RunError(fmt::format("'{}' is in use ({} runs in it). Wait for its end, or choose another run.output.",
                               run_directory, holder));
  } else {
    warn_root(fmt::format("'{}' cannot be locked ({}). See to it that no other job runs in this directory.",
                          path.string(), std::strerror(errno)));
  }
}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace sheaf
