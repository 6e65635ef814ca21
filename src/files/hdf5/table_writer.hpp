// New HDF5 files: tables that h5py reads as structured arrays, arrays of numbers, attributes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "files/hdf5/handle.hpp"
#include "files/hdf5/number_array.hpp"
#include "files/hdf5/written_file.hpp"

namespace sheaf {

/// A named column of a table. Text is stored with a fixed length in UTF-8: that of the column's longest.
struct TableColumn {
  std::string name;
  std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>> values;
};

/// The name and type of a column, known before its first row.
struct ColumnType {
  enum class Kind { integer, real, text };
  std::string name;
  Kind kind = Kind::integer;
  std::size_t text_bytes = 1;  ///< of the longest text; not 0
};

/// The types of a table's columns, with room for the texts that it has. Pure.
std::vector<ColumnType> column_types(const std::vector<TableColumn>& columns);

/// The value of an attribute.
using AttributeValue = std::variant<std::int64_t, double, std::string>;

/// A table of a file that is being written, whose rows come in pieces. Gone before the file is closed. Local.
class Hdf5Table {
 public:
  /// Appends rows: the table's columns in their order, of its types, texts no longer than announced. Throws RunError.
  void append(const std::vector<TableColumn>& columns);
  /// All rows have been appended. Throws RunError. The last call.
  void close();

 private:
  friend class Hdf5Writer;
  Hdf5Table(Handle data_set, std::int64_t rows, const std::vector<ColumnType>& types, std::string problem);

  std::string problem_;
  std::vector<ColumnType> types_;
  std::vector<std::size_t> offsets_;  // of the columns in a row; at the end, the size of a row
  std::int64_t rows_;
  std::int64_t written_ = 0;  // rows
  Handle type_;
  Handle space_;
  Handle data_set_;
};

/// Writes one new HDF5 file; one of the same name is replaced. Names are paths inside the file: groups on the way are
/// made. Every call throws RunError when it fails; a full disk is reported by close() alone. Local.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::string& path);

  /// An attribute of the file itself.
  void write_attribute(const std::string& name, const AttributeValue& value);

  /// A data set [rows] of compound type, one member per column. Columns have different names and one length, which may
  /// be zero; there is at least one.
  void write_table(const std::string& name, const std::vector<TableColumn>& columns);

  /// The same for a table of `rows` rows that are appended one piece after the other.
  Hdf5Table begin_table(const std::string& name, std::int64_t rows, const std::vector<ColumnType>& types);

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
  WrittenFile output_;
  Handle handle_;
};

}  // namespace sheaf
