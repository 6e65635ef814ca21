// New HDF5 files: tables that h5py reads as structured arrays, arrays of numbers, attributes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "hdf5/handle.hpp"
#include "hdf5/number_array.hpp"

namespace sheaf {

/// A named column of a table. Text is stored with a fixed length in UTF-8: that of the column's longest.
struct TableColumn {
  std::string name;
  std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>> values;
};

/// What one attribute may hold.
using AttributeValue = std::variant<std::int64_t, double, std::string>;

/// Writes one new HDF5 file; one of the same name is replaced. It is made in memory and written by close(): HDF5 does
/// not survive a disk that is full (it crashes when the program ends). Names are paths inside the file: groups on the
/// way are made. Every call throws RunError when it fails. Local.
class Hdf5Writer {
 public:
  /// Creates the file, still empty, to find out whether one may. Memory for `expected_bytes` is taken at once, for
  /// arrays that are large: a file that grows in memory is copied.
  explicit Hdf5Writer(const std::string& path, std::size_t expected_bytes = 0);

  /// An attribute of the file itself.
  void write_attribute(const std::string& name, const AttributeValue& value);

  /// A data set [rows] of compound type, a member a column. Columns have different names and one length, which may be
  /// zero; there is at least one.
  void write_table(const std::string& name, const std::vector<TableColumn>& columns);

  /// A data set of the array's shape and type, which has at least one number, in chunks of whole rows, about 1 MiB
  /// each. `compression`: 0 (none) to 9, of gzip, after HDF5's shuffle.
  void write_numbers(const std::string& name, const NumberArray& array, int compression);

  /// An attribute of a data set that was written before: one text or more, 4000 at most (HDF5 keeps an attribute in 64
  /// KiB).
  void write_texts(const std::string& data_set, const std::string& name, const std::vector<std::string>& texts);

  /// Writes everything and waits until it is on the disk. The last call.
  void close();

 private:
  Handle create_data_set(const std::string& name, std::int64_t type, std::int64_t space, std::int64_t creation) const;
  std::string problem() const;

  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> output_;
  Handle handle_;  // of the file in memory
};

}  // namespace sheaf
