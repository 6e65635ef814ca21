// New files written piece by piece, whose pieces can be made to last.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// A new file for writing, closed when it goes. Every call throws RunError with the name and the system's reason.
/// Local.
class OutputFile {
 public:
  /// Creates the file. Throws when the name is taken, by a symbolic link for example, which is left as it is. `shown`:
  /// the name for messages.
  OutputFile(const std::string& path, const std::string& shown);
  explicit OutputFile(const std::string& path) : OutputFile(path, path) {}
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// All of it, by as few calls of write() as the system allows.
  void write(const void* bytes, std::size_t size);
  void write(const std::string& text) { write(text.data(), text.size()); }

  /// Returns when what was written is on the disk. Throws also when the file has been removed.
  void sync();
  /// sync(), then the end. The last call.
  void sync_and_close();

  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void fail(const std::string& reason) const;

  std::string path_, shown_;
  int descriptor_;
};

/// Makes the names of new files in `directory` last. Throws RunError. Local.
void sync_directory(const std::string& directory);

}  // namespace sheaf
