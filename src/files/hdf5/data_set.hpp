// Data sets of numbers, read by rows.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/index_range.hpp"
#include "files/hdf5/handle.hpp"

namespace sheaf {

/// The class of a file's numbers; an enumeration (h5py's bool) counts as integer.
enum class NumberClass { integer, real };

/// A data set as its file describes it.
struct DataSetInfo {
  std::vector<std::int64_t> shape;  ///< rank >= 1; the first dimension counts the rows
  NumberClass number_class = NumberClass::real;
  std::size_t element_bytes = 0;   ///< in the file
  bool is_bytes = false;           ///< unsigned integers of one byte
  std::int64_t chunk_rows = 1;     ///< rows of one chunk, which is read (and decompressed) whole; 1 without chunks
  std::vector<std::string> files;  ///< that the numbers come from (data_files.hpp); the first contains the data set

  std::int64_t rows() const { return shape.front(); }
  /// Numbers of one row, flattened.
  std::int64_t row_elements() const;
};

/// "[1797, 64]"
std::string shape_text(const std::vector<std::int64_t>& shape);

/// An open data set. Made by InputFile, and to be gone before it.
class DataSetReader {
 public:
  const DataSetInfo& info() const { return info_; }
  /// "data set '/features' of 'digits.h5'"
  const std::string& description() const { return description_; }
  /// HDF5's own identifier.
  std::int64_t id() const { return handle_.id(); }

  /// Reads rows, converted to T (float, double, std::int64_t or std::uint8_t), into values[rows.count() *
  /// row_elements()]. What float cannot hold becomes infinite, what an integer cannot hold its nearest end. An empty
  /// range reads nothing. Collective transfers are collective over the file's ranks, and an error on one of them may
  /// keep the others waiting. Throws RunError when the file cannot be read there.
  template <class T>
  void read_rows(IndexRange rows, T* values) const;

 private:
  friend class InputFile;
  DataSetReader(Handle handle, DataSetInfo info, std::string description);

  Handle handle_;
  DataSetInfo info_;
  std::string description_;
};

extern template void DataSetReader::read_rows(IndexRange, float*) const;
extern template void DataSetReader::read_rows(IndexRange, double*) const;
extern template void DataSetReader::read_rows(IndexRange, std::int64_t*) const;
extern template void DataSetReader::read_rows(IndexRange, std::uint8_t*) const;

}  // namespace sheaf
