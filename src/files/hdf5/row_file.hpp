// New HDF5 files whose arrays any number of ranks and threads fill, by rows in any order, however large they are.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "files/hdf5/number_array.hpp"

namespace sheaf {

/// An array of a new file: a contiguous data set of this shape.
struct RowArray {
  std::string name;
  NumberType type = NumberType::float32;
  std::vector<std::int64_t> shape;

  std::int64_t row_bytes() const;
};

/// Makes file `path` with room on the disk for the arrays, which are not empty, and text attributes, and returns where
/// each array begins in it, in bytes. Throws RunError when the file cannot be made or the disk has no room. Local.
std::vector<std::int64_t> create_row_file(const std::string& path, const std::vector<RowArray>& arrays,
                                          const std::vector<std::pair<std::string, std::string>>& attributes);

/// Such a file, open for writing. Needs no HDF5.
class RowFileWriter {
 public:
  /// Throws RunError when it cannot be opened. Local.
  explicit RowFileWriter(const std::string& path);
  ~RowFileWriter();
  RowFileWriter(const RowFileWriter&) = delete;
  RowFileWriter& operator=(const RowFileWriter&) = delete;

  /// Writes bytes at `offset`. Thread-safe. Throws RunError.
  void write(const void* data, std::size_t bytes, std::int64_t offset) const;

  /// Waits until what was written here is on the disk. Throws RunError.
  void sync() const;

 private:
  void require_system(bool good) const;

  std::string path_;
  int descriptor_;
};

}  // namespace sheaf
