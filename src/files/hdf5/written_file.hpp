// Where a new HDF5 file goes: a file descriptor that the library writes to, and that may run out of room.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "files/hdf5/handle.hpp"

namespace sheaf {

/// The library crashes at the end of the program when a write has failed. So this class reports success to the library
/// for every write, keeps the first error, and drops the data of all later writes. Local.
class WrittenFile {
 public:
  /// Creates the file, or empties the one of that name. Throws RunError.
  explicit WrittenFile(const std::string& path);
  ~WrittenFile();
  WrittenFile(const WrittenFile&) = delete;
  WrittenFile& operator=(const WrittenFile&) = delete;

  /// A file access property list: a file created with it is written here. The path given to the library is only a name.
  Handle access() const;
  /// Everything is on the disk. Throws RunError with the first error. After the library has closed the file; the last
  /// call.
  void sync_and_close();

  struct State;  // for the library's callbacks

 private:
  std::string path_;
  State* state_;
};

}  // namespace sheaf
