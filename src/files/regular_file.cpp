// SPDX-License-Identifier: MIT
#include "files/regular_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "core/error.hpp"

namespace sheaf {
namespace {

void require_readable(bool good, const std::string& path) {
  require(good, [&] {
    return fmt::format("File '{}' cannot be read ({}). Check its name and permissions.", path, std::strerror(errno));
  });
}

void require_regular(const struct stat& status, const std::string& path) {
  require(S_ISREG(status.st_mode),
          fmt::format("'{}' is {}, not a regular file. {}", path, file_kind(status.st_mode),
                      S_ISDIR(status.st_mode) ? "Specify a file." : "Copy its content to a file and specify that."));
}

}  // namespace

std::string file_kind(mode_t mode) {
  if (S_ISREG(mode)) return "a regular file";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a pipe (FIFO)";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

// Checks the type before opening, since opening a device can have side effects, and again afterwards, since the file
// may have been replaced.
int open_regular_file(const std::string& path, struct stat& status) {
  status = {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return -1;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0 || (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))) return descriptor;
  const int error = errno;
  ::close(descriptor);
  errno = error;
  return -1;
}

RegularFile::RegularFile(const std::string& path) : path_(path) {
  struct stat status {};
  descriptor_ = open_regular_file(path, status);
  if (descriptor_ >= 0) return;
  require_readable(status.st_mode != 0 && !S_ISREG(status.st_mode), path);
  require_regular(status, path);
}

RegularFile::RegularFile(const std::string& path, int descriptor)
    : path_(path), descriptor_(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) {
  require_readable(descriptor_ >= 0, path);
}

RegularFile::~RegularFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string RegularFile::read(std::int64_t most) const {
  constexpr std::int64_t buffer_bytes = std::int64_t{1} << 20;
  std::string bytes;
  while (static_cast<std::int64_t>(bytes.size()) < most) {
    const std::size_t old = bytes.size();
    bytes.resize(old + static_cast<std::size_t>(std::min(buffer_bytes, most - static_cast<std::int64_t>(old))));
    const ssize_t got = ::pread(descriptor_, bytes.data() + old, bytes.size() - old, static_cast<off_t>(old));
    require_readable(got >= 0 || errno == EINTR, path_);
    bytes.resize(old + static_cast<std::size_t>(std::max<ssize_t>(0, got)));
    if (got == 0) break;
  }
  return bytes;
}

std::string RegularFile::read_all() const {
  return read(std::numeric_limits<std::int64_t>::max());
}

const std::string& first_content(const std::string& path) {
  static std::mutex one_at_a_time;
  static std::map<std::string, std::string> contents;
  const std::lock_guard lock(one_at_a_time);
  const auto known = contents.find(path);
  return known != contents.end() ? known->second : contents.emplace(path, RegularFile(path).read_all()).first->second;
}

void require_regular_file(const std::string& path) {
  const RegularFile file(path);
}

void refuse_special_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) require_regular(status, path);
}

}  // namespace sheaf
