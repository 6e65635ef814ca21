// Reads the features of an HDF5 file in the form that training needs.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/aligned_vector.hpp"
#include "core/error.hpp"
#include "core/index_range.hpp"
#include "data/bad_row.hpp"
#include "data/file_schema.hpp"
#include "files/hdf5/stored_rows.hpp"
#include "study/data_options.hpp"

namespace sheaf {

/// Reads ranges of rows, in any order and by any number of threads. Unsigned bytes stay bytes, other types become
/// float. Images get their channels first. Stored columns are encoded by FileSchema::encoding.
class FeatureReader {
 public:
  /// Buffers of one thread, reused between calls.
  struct Buffers {
    RowBuffers rows;
    std::vector<std::byte> image;
    AlignedVector<float> floats;
    AlignedVector<float> stored_floats;  // before they are encoded
    AlignedVector<double> stored_doubles;
    std::int64_t unknown_cells = 0;  ///< among all rows that were read with these buffers
  };

  /// Opens options.file. Throws as InputFile(). Local.
  FeatureReader(const DataOptions& options, const FileSchema& schema);

  /// Blocks: ranges of rows that are read efficiently with one call.
  std::int64_t block_count() const { return rows_.block_count(); }
  IndexRange block(std::int64_t number) const { return rows_.block(number); }

  /// Reads rows into `values`, [rows, feature_count] of bytes or floats according to the schema. Returns the number of
  /// empty cells (NaN). Throws BadRow with the first row that has another value that is not finite, or one that is not
  /// a code of its column, RunError if the file cannot be read. Thread-safe.
  std::int64_t read(IndexRange rows, std::byte* values, Buffers& buffers) const;

  /// Same, for rows that were read before: does not check the values again. May bypass the caches, because `values` are
  /// not used soon.
  void read_again(IndexRange rows, std::byte* values, Buffers& buffers) const;

  /// Returns rows as floats, also if the file has bytes, [rows, feature_count]; not checked for finite values. Does not
  /// copy if the file stores the rows in this form. The pointer is valid until the next call with these buffers; the
  /// values are only reliable if require_unchanged() returns afterwards. Throws as StoredRows.
  const float* view_floats(IndexRange rows, Buffers& buffers) const;

  /// The number of empty cells in values that view_floats() returned. Throws BadRow as read().
  std::int64_t count_empty_cells(IndexRange rows, const float* values) const;
  const std::string& description() const { return rows_.description(); }
  /// As StoredRows::require_unchanged().
  void require_unchanged() const { rows_.require_unchanged(); }

 private:
  void read_values(IndexRange rows, std::byte* values, Buffers& buffers, NextUse next_use) const;
  template <class Value>
  void read_as(IndexRange rows, Value* values, Buffers& buffers, NextUse next_use) const;
  template <class Value>
  void encode(IndexRange rows, AlignedVector<Value>& stored, float* features, Buffers& buffers) const;
  void read_floats(IndexRange rows, float* values, Buffers& buffers, NextUse next_use) const;

  StoredRows rows_;
  ColumnEncoding encoding_;
  std::int64_t width_;
  bool bytes_;
  bool accepts_empty_cells_;
  ImageShape turned_;  // the shape of images with channels last in the file; otherwise all zero
};

}  // namespace sheaf
