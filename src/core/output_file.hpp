// New files written piece by piece, whose pieces can be made to last.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// A file for writing, closed when it goes. Every call throws RunError with the path and the system's reason. Local.
class OutputFile {
 public:
  enum class Existing { replaced, refused };

  explicit OutputFile(const std::string& path, Existing existing = Existing::replaced);
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

  std::string path_;
  int descriptor_;
};

/// Makes the names of new files in `directory` last. Throws RunError. Local.
void sync_directory(const std::string& directory);

}  // namespace sheaf
