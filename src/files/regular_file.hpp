// Opens existing regular files for reading. Other kinds are refused: opening a FIFO may block forever, and a device may
// have no end.
// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>

namespace sheaf {

/// Returns "a directory", "a pipe (FIFO)", "a device", ... for the st_mode of stat(). Pure.
std::string file_kind(mode_t mode);

/// Opens a regular file for reading, without blocking. Follows symbolic links. Returns the descriptor, which the caller
/// closes. Returns -1 if the file is of another kind (`status` is then set) or on an error (errno is then set). Local.
int open_regular_file(const std::string& path, struct stat& status);

/// A regular file, open for reading; the destructor closes it. Follows symbolic links. Local.
class RegularFile {
 public:
  /// Does not block. Throws RunError if `path` cannot be opened or is not a regular file.
  explicit RegularFile(const std::string& path);
  /// Duplicates `descriptor`, which is open for reading. `path` is used in messages. Throws RunError.
  RegularFile(const std::string& path, int descriptor);
  ~RegularFile();
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;

  int descriptor() const { return descriptor_; }
  /// Returns the descriptor, which the caller must close.
  int release() { return std::exchange(descriptor_, -1); }

  /// Reads the first `most` bytes, or all bytes of a shorter file. Throws RunError.
  std::string read(std::int64_t most) const;
  /// Reads the whole file. Throws RunError.
  std::string read_all() const;

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// Returns the content of a file as it was at the first call for `path`, so that all parts of the process use the same
/// bytes. Valid until the process ends. Throws RunError like RegularFile. Local, thread-safe.
const std::string& first_content(const std::string& path);

/// Checks a file that a library will open by name. Throws RunError like RegularFile. Local.
void require_regular_file(const std::string& path);

/// Like require_regular_file, but accepts a missing file. Local.
void refuse_special_file(const std::string& path);

}  // namespace sheaf
