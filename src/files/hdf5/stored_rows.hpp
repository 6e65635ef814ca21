// Reads the rows of a data set with any number of threads: HDF5 locates the stored bytes; reading, checking,
// decompressing and converting them are done here. SPDX-License-Identifier: MIT
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
#include "files/hdf5/number_array.hpp"

namespace sheaf {

/// Buffers of one thread for reading one data set, reused from call to call. Not shared between threads.
class RowBuffers {
  friend class StoredRows;
  std::optional<ChunkDecoder> decoder_;
  Clock::time_point checked_;         // when the files were last checked for changes
  NextUse next_use_ = NextUse::soon;  // of the values that are read
  AlignedVector<std::byte> bytes_;
};

/// Reading needs no MPI, and is independent of other ranks. Layouts and filters that are not known here (virtual data
/// sets, LZF and the like) are read by HDF5, by one thread at a time; other code may not use HDF5 meanwhile.
class StoredRows {
 public:
  /// Opens data set `name` of the file. Throws as InputFile. Local.
  StoredRows(const std::string& path, const std::string& name);
  ~StoredRows();
  StoredRows(const StoredRows&) = delete;
  StoredRows& operator=(const StoredRows&) = delete;

  const DataSetInfo& info() const;
  /// "data set '/features' of 'digits.h5'"
  const std::string& description() const;
  /// The type of the numbers, in any byte order; none where NumberType lacks it.
  std::optional<NumberType> number_type() const;

  /// Blocks of rows that are cheap to read: whole chunks, in the order of the rows.
  std::int64_t block_count() const;
  IndexRange block(std::int64_t number) const;
  /// Numbers of the largest block.
  std::int64_t most_block_elements() const;

  /// Reads any rows into values[rows.count() * info().row_elements()]; whole blocks cost least. T: float, double,
  /// std::int64_t (of integers), std::uint8_t (of info().is_bytes). Conversions as DataSetReader::read_rows.
  /// Thread-safe. Throws RunError that names the file and the rows when a chunk is damaged, the file cannot be read, or
  /// was changed since it was opened (checked every millisecond).
  template <class T>
  void read(IndexRange rows, T* values, RowBuffers& buffers, NextUse next_use = NextUse::soon) const;

  /// The rows, without a copy where they are stored contiguously as T; else read into `memory`. Valid as long as this
  /// and until the memory's next use, provided that require_unchanged() returns afterwards. T: float, std::uint8_t
  /// (of info().is_bytes). Thread-safe. Throws as read().
  template <class T>
  const T* view(IndexRange rows, AlignedVector<T>& memory, RowBuffers& buffers) const;

  /// Throws RunError when a file that the rows come from has changed since it was opened, or viewed rows could not be
  /// read.
  void require_unchanged() const;

 private:
  void check_files(RowBuffers& buffers) const;
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
