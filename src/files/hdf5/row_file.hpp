// Creates HDF5 files whose arrays several ranks and threads fill, row by row in any order.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "files/hdf5/number_array.hpp"

namespace sheaf {

/// An array in a new file: a contiguous data set of this shape.
struct RowArray {
  std::string name;
  NumberType type = NumberType::float32;
  std::vector<std::int64_t> shape;

  std::int64_t row_bytes() const;
};

/// An attribute of the root group, a text, or of an array, a list of texts.
struct TextAttribute {
  std::string array;  ///< name of the array; empty: root group
  std::string name;
  std::vector<std::string> texts;  ///< exactly one for the root group
};

/// Creates file `path` with attributes and reserves disk space for the arrays, which must not be empty. Returns
/// the offset of each array in the file, in bytes. Throws RunError if the file cannot be created or the disk is full.
/// Local.
std::vector<std::int64_t> create_row_file(const std::string& path, const std::vector<RowArray>& arrays,
                                          const std::vector<TextAttribute>& attributes);

/// Writes to a file that create_row_file has created. Does not use HDF5.
class RowFileWriter {
 public:
  /// Throws RunError if the file cannot be opened. Local.
  explicit RowFileWriter(const std::string& path);
  ~RowFileWriter();
  RowFileWriter(const RowFileWriter&) = delete;
  RowFileWriter& operator=(const RowFileWriter&) = delete;

  /// Writes bytes at `offset`. Thread-safe. Throws RunError.
  void write(const void* data, std::size_t bytes, std::int64_t offset) const;

  /// Waits until all written bytes are on the disk. Throws RunError.
  void sync() const;

 private:
  void require_system(bool good) const;

  std::string path_;
  int descriptor_;
};

}  // namespace sheaf
