// A file's features as training wants them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/aligned_vector.hpp"
#include "core/error.hpp"
#include "core/index_range.hpp"
#include "data/file_schema.hpp"
#include "files/hdf5/stored_rows.hpp"
#include "study/study.hpp"

namespace sheaf {

/// A row that holds what it must not.
class BadRow : public RunError {
 public:
  BadRow(std::int64_t row, const std::string& message) : RunError(message), row_(row) {}
  std::int64_t row() const { return row_; }

 private:
  std::int64_t row_;
};

/// Reads rows in order or not, by any number of threads: unsigned bytes as they are, other numbers as float; images
/// channels first.
class FeatureReader {
 public:
  /// What a thread needs; keeps its memory. Not shared between threads.
  struct Buffers {
    RowBuffers rows;
    std::vector<std::byte> image;
    AlignedVector<float> floats;
  };

  /// Opens options.file. Throws as InputFile. Local.
  FeatureReader(const DataOptions& options, const FileSchema& schema);

  /// The rows in pieces that are read at one go.
  std::int64_t block_count() const { return rows_.block_count(); }
  IndexRange block(std::int64_t number) const { return rows_.block(number); }

  /// Reads whole rows to `values`, [rows, feature_count] of bytes or floats as the schema says. Throws BadRow with the
  /// lowest row that holds a number that is not finite, RunError when the file cannot be read. Thread-safe.
  void read(IndexRange rows, std::byte* values, Buffers& buffers) const;

  /// The same for rows that were read before: they are not looked at again, and `values` not expected to be used soon.
  void read_again(IndexRange rows, std::byte* values, Buffers& buffers) const;

  /// Rows as floats, bytes too, [rows, feature_count], finite or not; without a copy where the file holds them so.
  /// Valid until the next call with these buffers; to be believed once require_unchanged() returns. Throws as
  /// StoredRows.
  const float* view_floats(IndexRange rows, Buffers& buffers) const;

  /// Throws BadRow as read() does.
  void require_finite(IndexRange rows, const float* values) const;
  /// As StoredRows.
  void require_unchanged() const { rows_.require_unchanged(); }

 private:
  void read_values(IndexRange rows, std::byte* values, Buffers& buffers, NextUse next_use) const;
  template <class Value>
  void read_as(IndexRange rows, Value* values, Buffers& buffers, NextUse next_use) const;

  StoredRows rows_;
  std::int64_t width_;
  bool bytes_;
  ImageShape turned_;  // images whose channels come last in the file
};

}  // namespace sheaf
