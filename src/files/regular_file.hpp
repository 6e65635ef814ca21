// Existing files, opened for reading. Only regular files: opening a FIFO may wait for ever, and a device may never end.
// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>

namespace sheaf {

/// "a directory", "a pipe (FIFO)", "a device", ...; `mode` as stat() gives it. Pure.
std::string file_kind(mode_t mode);

/// Opens a regular file for reading, without ever waiting. Returns the descriptor; the caller closes it. Returns -1 for
/// a file of another kind, with its `status`, and on an error, with errno. Symbolic links are followed. Local.
int open_regular_file(const std::string& path, struct stat& status);

/// A regular file, open for reading and closed when it goes. Symbolic links are followed. Local.
class RegularFile {
 public:
  /// Never waits. Throws RunError when `path` cannot be opened or is not a regular file.
  explicit RegularFile(const std::string& path);
  /// A duplicate of `descriptor`, which is open for reading; `path` is for messages. Throws RunError.
  RegularFile(const std::string& path, int descriptor);
  ~RegularFile();
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;

  int descriptor() const { return descriptor_; }
  /// The descriptor; the caller closes it.
  int release() { return std::exchange(descriptor_, -1); }

  /// The file's first bytes: `most` of them, or all when it is shorter. Throws RunError.
  std::string read(std::int64_t most) const;
  /// The whole file. Throws RunError.
  std::string read_all() const;

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// The content of a file as it was when the process first called this for the path: all that the process does with the
/// file is done with the same bytes. Kept until the process ends. Throws RunError as RegularFile does. Local,
/// thread-safe.
const std::string& first_content(const std::string& path);

/// For files that a library opens by name. Throws RunError as RegularFile does. Local.
void require_regular_file(const std::string& path);

/// As require_regular_file, but a missing file is fine. Local.
void refuse_special_file(const std::string& path);

}  // namespace sheaf
