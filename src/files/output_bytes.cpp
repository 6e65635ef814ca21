// SPDX-License-Identifier: MIT
#include "files/output_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/write_at.hpp"

namespace sheaf {
namespace {

// Writeback to the disk starts each time this many bytes have been written.
constexpr std::size_t writeback_bytes = std::size_t{16} << 20;

}  // namespace

OutputBytes::OutputBytes(const std::string& path)
    : path_(path), descriptor_(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)) {
  require_good(descriptor_ >= 0);
}

OutputBytes::~OutputBytes() {
  ::close(descriptor_);
}

void OutputBytes::require_good(bool good) const {
  if (!good)
    throw RunError(fmt::format("File '{}' cannot be written ({}). Choose another directory or free disk space.", path_,
                               std::strerror(errno)));
}

void OutputBytes::write(const std::byte* bytes, std::size_t count, std::int64_t offset) const {
  const std::size_t before = written_.fetch_add(count), after = before + count;
  require_good(write_at(descriptor_, bytes, count, offset));
  // A hint only: sync() reports errors.
  if (before / writeback_bytes != after / writeback_bytes) ::sync_file_range(descriptor_, 0, 0, SYNC_FILE_RANGE_WRITE);
}

void OutputBytes::require_room(std::int64_t bytes) const {
  struct statvfs system {};
  require_good(::fstatvfs(descriptor_, &system) == 0);
  const double room = static_cast<double>(system.f_bavail) * static_cast<double>(system.f_frsize);
  require(static_cast<double>(bytes) <= room,
          fmt::format("The disk of '{}' is too full ({} needed, {} free). Choose another directory or free disk space.",
                      path_, human_bytes(static_cast<double>(bytes)), human_bytes(room)));
}

void OutputBytes::reserve(std::int64_t offset, std::int64_t bytes) const {
  errno = ::posix_fallocate(descriptor_, offset, bytes);  // returns the error and does not set errno
  require_good(errno == 0);
}

void OutputBytes::sync() const {
  require_good(::fsync(descriptor_) == 0);
}

std::uint64_t OutputBytes::inode() const {
  struct stat status {};
  require_good(::fstat(descriptor_, &status) == 0);
  return status.st_ino;
}

}  // namespace sheaf
