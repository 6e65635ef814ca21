// The output of a new HDF5 file: a file driver that tolerates a full disk.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "files/hdf5/handle.hpp"

namespace sheaf {

/// The library crashes at the end of the program if a write has failed. Therefore this class always reports success to
/// the library, keeps the first error, and ignores all later writes. Local.
class WrittenFile {
 public:
  /// Creates the file or truncates an existing one. Throws RunError.
  explicit WrittenFile(const std::string& path);
  ~WrittenFile();
  WrittenFile(const WrittenFile&) = delete;
  WrittenFile& operator=(const WrittenFile&) = delete;

  /// Returns a file access property list. The library writes a file that is created with it to this object; the path
  /// passed to the library is only a name.
  Handle access() const;
  /// Syncs the file to the disk and closes it. Must be the last call, after the library has closed the file. Throws
  /// RunError with the first error.
  void sync_and_close();

  struct State;  // used by the driver functions

 private:
  std::string path_;
  State* state_;
};

}  // namespace sheaf
