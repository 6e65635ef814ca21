// A new HDF5 file derived from another: one data set is new, the rest is copied unchanged.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "files/hdf5/handle.hpp"
#include "files/hdf5/number_array.hpp"
#include "files/hdf5/object_copies.hpp"

namespace sheaf {

/// The new data set, in chunks of whole rows.
struct DerivedRows {
  std::string name;
  NumberType type = NumberType::float32;
  std::vector<std::int64_t> shape;
  std::int64_t chunk_rows = 1;
  int compression = 0;  ///< of gzip, 0 to 9, after HDF5's shuffle

  std::int64_t chunk_count() const { return (shape.front() + chunk_rows - 1) / chunk_rows; }
  std::int64_t row_bytes() const;
  std::int64_t chunk_bytes() const { return chunk_rows * row_bytes(); }
};

/// Rows of a chunk: at most 1 MiB of them or else one, and as many in each chunk as can be.
std::int64_t default_chunk_rows(std::int64_t rows, std::int64_t row_bytes);

/// Reserves disk space before HDF5 writes, since HDF5 crashes at the end of the program when it cannot write its
/// caches. Uncompressed rows are not written by this class: they are contiguous in the file, and all ranks may write
/// them; their space is not reserved. Every call throws RunError when it fails. Local.
class DerivedFile {
 public:
  /// Fills the file at `path`, which exists and is empty, on a disk with room for all that the other calls may add: the
  /// rows, `other_bytes`, and, with `copies`, everything in file `source` except the data set rows.name and the names
  /// `left_out`.
  DerivedFile(const std::string& path, const std::string& source, const DerivedRows& rows, bool copies,
              const std::vector<std::string>& left_out, std::int64_t other_bytes);

  /// Copies everything else, with `copies`: targets of external links, numbers of virtual data sets and of external
  /// storage included, so that the file needs no other.
  void copy_others();
  /// Makes the data set under all names that it has in the source, with its attributes there. Returns the address of
  /// its first row; of compressed ones 0.
  std::int64_t make_rows();
  /// An attribute of the data set.
  void write_note(const std::string& name, const std::string& text);
  /// A data set [values.size()].
  void write_values(const std::string& name, const std::vector<double>& values);
  /// A chunk of compressed rows, encoded by ChunkEncoder.
  void write_chunk(std::int64_t chunk, const std::byte* bytes, std::size_t count);
  /// Writes everything and gives back the space that was not needed. The last call.
  void close();

 private:
  std::string problem() const;

  std::string path_;
  DerivedRows rows_;
  Handle source_, file_, data_set_;
  CopyPlan plan_;
};

}  // namespace sheaf
