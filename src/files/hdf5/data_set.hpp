// Reads rows of data sets of numbers.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/index_range.hpp"
#include "files/hdf5/handle.hpp"

namespace sheaf {

/// The class of the values in a file. An enumeration (such as h5py's bool) counts as integer.
enum class NumberClass { integer, real, text };

/// A number that stands for a missing value, and the attribute that says so.
struct FillValue {
  std::string attribute;
  double number = 0;
};

/// The description of a data set in its file.
struct DataSetInfo {
  std::vector<std::int64_t> shape;  ///< rank >= 1; the first dimension counts the rows
  NumberClass number_class = NumberClass::real;
  std::size_t element_bytes = 0;  ///< size of a number in the file; of texts of variable length, that of a reference
  bool is_bytes = false;          ///< whether the numbers are unsigned integers of one byte
  std::int64_t chunk_rows = 1;    ///< rows per chunk, which is read and decompressed as a whole; 1 without chunks
  /// The text of the attribute `channels`, which states the order of the channels of images (data/row_layout); nullopt
  /// without an attribute of this name that is one text.
  std::optional<std::string> channels;
  std::vector<FillValue> fill_values;  ///< fill_values(); rows that contain one cannot be read
  std::vector<std::string> files;      ///< files with the numbers (data_files.hpp); the first contains the data set

  std::int64_t rows() const { return shape.front(); }
  /// Returns the numbers per row.
  std::int64_t row_elements() const;
};

/// Formats a shape, for example "[1797, 64]".
std::string shape_text(const std::vector<std::int64_t>& shape);

/// An open data set. Created by InputFile, which must outlive it.
class DataSetReader {
 public:
  const DataSetInfo& info() const { return info_; }
  /// Names the data set in messages: "data set '/features' of 'digits.h5'".
  const std::string& description() const { return description_; }
  /// Returns the HDF5 identifier.
  std::int64_t id() const { return handle_.id(); }

  /// Reads rows into values[rows.count() * row_elements()], converted to T (float, double, std::int64_t or
  /// std::uint8_t). Values beyond the range of float become infinite; values beyond the range of an integer are
  /// clamped. An empty range reads nothing. Local. Throws RunError if the rows cannot be read.
  template <class T>
  void read_rows(IndexRange rows, T* values) const;

  /// Same, for a data set of texts: texts[rows.count() * row_elements()].
  std::vector<std::string> read_text_rows(IndexRange rows) const;

 private:
  friend class InputFile;
  DataSetReader(Handle handle, DataSetInfo info, std::string description);
  void read_as(std::int64_t type, IndexRange rows, void* values) const;

  Handle handle_;
  DataSetInfo info_;
  std::string description_;
};

extern template void DataSetReader::read_rows(IndexRange, float*) const;
extern template void DataSetReader::read_rows(IndexRange, double*) const;
extern template void DataSetReader::read_rows(IndexRange, std::int64_t*) const;
extern template void DataSetReader::read_rows(IndexRange, std::uint8_t*) const;

}  // namespace sheaf
