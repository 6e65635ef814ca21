// SPDX-License-Identifier: MIT
#include "files/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.hpp"

namespace sheaf {
namespace {

std::string cannot_write(const std::string& path, const std::string& reason) {
  return fmt::format("'{}' cannot be written ({}). Choose a directory with free space and write permission.", path,
                     reason);
}

}  // namespace

OutputFile::OutputFile(const std::string& path, const std::string& shown)
    : path_(path),
      shown_(shown),
      descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail(std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::fail(const std::string& reason) const {
  throw RunError(cannot_write(shown_, reason));
}

void OutputFile::write(const void* bytes, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t written = ::write(descriptor_, static_cast<const char*>(bytes) + done, size - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(std::strerror(errno));
    done += static_cast<std::size_t>(written);
  }
}

void OutputFile::sync() {
  struct stat status {};
  if (::fdatasync(descriptor_) != 0 || ::fstat(descriptor_, &status) != 0) fail(std::strerror(errno));
  if (status.st_nlink == 0) fail("the file has been removed");
}

void OutputFile::sync_and_close() {
  sync();
  close();
}

void OutputFile::close() {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail(std::strerror(errno));
}

void sync_directory(const std::string& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool opened = descriptor >= 0;
  // Some file systems cannot sync a directory and do not need it.
  const bool synced = opened && (::fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP);
  const std::string reason = synced ? "" : std::strerror(errno);
  if (opened) ::close(descriptor);
  if (!synced) throw RunError(cannot_write(directory, reason));
}

}  // namespace sheaf
