// Creates an HDF5 file from another one: replaces one data set and copies the rest unchanged.
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
  int compression = 0;  ///< gzip level, 0 to 9, after HDF5's shuffle filter

  std::int64_t chunk_count() const { return (shape.front() + chunk_rows - 1) / chunk_rows; }
  std::int64_t row_bytes() const;
  std::int64_t chunk_bytes() const { return chunk_rows * row_bytes(); }
};

/// Returns the number of rows per chunk: at most 1 MiB, but at least one row, and balanced over the chunks.
std::int64_t default_chunk_rows(std::int64_t rows, std::int64_t row_bytes);

/// Writes the new file. Reserves disk space first, because HDF5 crashes at the end of the program if it cannot write
/// its caches. This class does not write uncompressed rows: they are contiguous in the file, any rank may write them,
/// and their space is not reserved. All members throw RunError. Local.
class DerivedFile {
 public:
  /// Initializes the file at `path`, which exists and is empty. The disk must have space for the rows, `other_bytes`
  /// and, if `copies`, everything in file `source` except the data set rows.name and the names `left_out`.
  DerivedFile(const std::string& path, const std::string& source, const DerivedRows& rows, bool copies,
              const std::vector<std::string>& left_out, std::int64_t other_bytes);

  /// Copies everything else, if `copies`. The targets of external links and the numbers of virtual data sets and
  /// external storage are included, so that the new file is self-contained.
  void copy_others();
  /// Creates the data set, with all names and attributes that it has in the source. Returns the address of its first
  /// row, or 0 if it is compressed.
  std::int64_t make_rows();
  /// Writes an attribute of the data set.
  void write_note(const std::string& name, const std::string& text);
  /// Removes attributes of the data set or, with `of_file`, of the root group, if they exist.
  void remove_notes(const std::vector<std::string>& names, bool of_file);
  /// Writes a data set [values.size()].
  void write_values(const std::string& name, const std::vector<double>& values);
  /// Writes a chunk of compressed rows, which ChunkEncoder has encoded.
  void write_chunk(std::int64_t chunk, const std::byte* bytes, std::size_t count);
  /// Writes all buffered data and releases unused disk space. Must be the last call.
  void close();

 private:
  std::string problem() const;

  std::string path_;
  DerivedRows rows_;
  Handle source_, file_, data_set_;
  CopyPlan plan_;
};

}  // namespace sheaf
