// Reads the rows of a data set with several threads. HDF5 only locates the stored bytes; this code reads, checks,
// decompresses and converts them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/aligned_vector.hpp"
#include "core/clock.hpp"
#include "core/index_range.hpp"
#include "core/past_caches.hpp"
#include "files/hdf5/chunk_filters.hpp"
#include "files/hdf5/data_set.hpp"
#include "files/hdf5/elements.hpp"
#include "files/hdf5/file.hpp"
#include "files/hdf5/number_array.hpp"

namespace sheaf {

/// Buffers of one thread for reading one data set, reused between calls. Not thread-safe.
class RowBuffers {
  friend class StoredRows;
  std::optional<ChunkDecoder> decoder_;
  Clock::time_point checked_;         // time of the last check of the files for changes
  NextUse next_use_ = NextUse::soon;  // next use of the values
  AlignedVector<std::byte> bytes_;
};

/// Reads the rows of one data set. Does not use MPI and is independent of other ranks. For layouts and filters without
/// support here (such as virtual data sets and LZF), HDF5 reads the rows, in one thread at a time. Other code must not
/// use HDF5 meanwhile.
class StoredRows {
 public:
  /// Opens data set `name` of the file. Throws like InputFile. Local.
  StoredRows(const std::string& path, const std::string& name, Values values = Values::numbers);
  ~StoredRows();
  StoredRows(const StoredRows&) = delete;
  StoredRows& operator=(const StoredRows&) = delete;

  const DataSetInfo& info() const;
  /// Names the data set in messages: "data set '/features' of 'digits.h5'".
  const std::string& description() const;
  /// Returns the type of the numbers, in any byte order, or nullopt if NumberType does not have it.
  std::optional<NumberType> number_type() const;

  /// The number of blocks. A block is a range of rows that is efficient to read: one or more whole chunks.
  std::int64_t block_count() const;
  IndexRange block(std::int64_t number) const;
  /// Returns the numbers in the largest block.
  std::int64_t max_block_elements() const;

  /// Reads any rows into values[rows.count() * info().row_elements()]. Whole blocks are the most efficient. T is float,
  /// double, std::int64_t (integers only) or std::uint8_t (if info().is_bytes). Converts like DataSetReader::read_rows.
  /// Thread-safe. Throws RunError with the file and the rows if a chunk is damaged, the file cannot be read, or it was
  /// changed since it was opened (checked every millisecond), and for a value among info().fill_values.
  template <class T>
  void read(IndexRange rows, T* values, RowBuffers& buffers, NextUse next_use = NextUse::soon) const;

  /// Returns the texts of any rows, for info().number_class = text. Throws like read(). Thread-safe.
  std::vector<std::string> read_texts(IndexRange rows) const;

  /// Returns the rows. Does not copy them if they are stored contiguously as T; otherwise reads them into `memory`. The
  /// pointer is valid as long as this object and until `memory` is used again. Call require_unchanged() after using the
  /// rows; if it throws, they may be wrong. T is float or std::uint8_t (if info().is_bytes). Thread-safe. Throws like
  /// read().
  template <class T>
  const T* view(IndexRange rows, AlignedVector<T>& memory, RowBuffers& buffers) const;

  /// Throws RunError if one of the files has changed since it was opened, or if rows of a view could not be read.
  void require_unchanged() const;

 private:
  void check_files(RowBuffers& buffers) const;
  template <class T>
  void require_no_fill_value(IndexRange rows, const T* values) const;
  template <class Work>
  void attempt(IndexRange rows, const Work& work) const;

  struct State;
  std::unique_ptr<State> state_;
};

extern template const float* StoredRows::view(IndexRange, AlignedVector<float>&, RowBuffers&) const;
extern template const std::uint8_t* StoredRows::view(IndexRange, AlignedVector<std::uint8_t>&, RowBuffers&) const;
extern template void StoredRows::read(IndexRange, float*, RowBuffers&, NextUse) const;
extern template void StoredRows::read(IndexRange, double*, RowBuffers&, NextUse) const;
extern template void StoredRows::read(IndexRange, std::int64_t*, RowBuffers&, NextUse) const;
extern template void StoredRows::read(IndexRange, std::uint8_t*, RowBuffers&, NextUse) const;

}  // namespace sheaf
