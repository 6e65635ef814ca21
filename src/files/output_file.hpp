// New files that are written sequentially and synced to the disk.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// A new file, open for writing; the destructor closes it. All members throw RunError with the name and the reason of
/// the system. Local.
class OutputFile {
 public:
  /// Creates the file. Throws if the name exists, even as a symbolic link; an existing file is not changed. `shown` is
  /// the name in messages.
  OutputFile(const std::string& path, const std::string& shown);
  explicit OutputFile(const std::string& path) : OutputFile(path, path) {}
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Writes all bytes, with as few calls of write(2) as the system allows.
  void write(const void* bytes, std::size_t size);
  void write(const std::string& text) { write(text.data(), text.size()); }

  /// Waits until all written bytes are on the disk. Also throws if the file has been removed.
  void sync();
  /// Closes the file. Must be the last call.
  void close();
  /// Calls sync() and close().
  void sync_and_close();

  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void fail(const std::string& reason) const;

  std::string path_, shown_;
  int descriptor_;
};

/// Waits until the names of new files in `directory` are on the disk. Throws RunError. Local.
void sync_directory(const std::string& directory);

}  // namespace sheaf
