// Writes new HDF5 files with tables (structured arrays in h5py), arrays of numbers, and attributes.
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

/// A named column of a table. Text is stored as UTF-8 with a fixed length, that of the longest text in the column;
/// flags as h5py stores bool, an enumeration of FALSE and TRUE.
struct TableColumn {
  std::string name;
  std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<bool>, std::vector<std::string>,
               std::vector<float>>
      values;
  std::size_t width = 0;  ///< numbers per row, as an array; 0: a single value
};

/// The name and type of a column, which must be known before its first row.
struct ColumnType {
  enum class Kind { integer, real, flag, text, real32 };
  std::string name;
  Kind kind = Kind::integer;
  std::size_t text_bytes = 1;  ///< length of the longest text; at least 1
  std::size_t width = 0;       ///< TableColumn::width
};

/// Returns the types of the columns, with text lengths that fit the texts in them. Pure.
std::vector<ColumnType> column_types(const std::vector<TableColumn>& columns);

/// The value of an attribute.
using AttributeValue = std::variant<std::int64_t, double, std::string>;

/// A table that is written in several calls. Must be destroyed before the file is closed. Local.
class Hdf5Table {
 public:
  /// Appends rows. `columns` must have the order and types of the table, and texts must not exceed the declared length.
  /// Throws RunError.
  void append(const std::vector<TableColumn>& columns);
  /// Closes the table after all rows have been appended. Must be the last call. Throws RunError.
  void close();

 private:
  friend class Hdf5Writer;
  Hdf5Table(Handle data_set, std::int64_t rows, const std::vector<ColumnType>& types, std::string problem);

  std::string problem_;
  std::vector<ColumnType> types_;
  std::vector<std::size_t> offsets_;  // offsets of the columns in a row, followed by the size of a row
  std::int64_t rows_;
  std::int64_t written_ = 0;  // number of rows
  Handle type_;
  Handle space_;
  Handle data_set_;
};

/// Writes one new HDF5 file and replaces an existing file. Names are paths in the file; missing groups are created. All
/// members throw RunError, but only close() reports a full disk. Local.
class Hdf5Writer {
 public:
  /// With `long_attributes`, data sets can have attributes of more than 64 KiB, such as more than 4095 texts.
  explicit Hdf5Writer(const std::string& path, bool long_attributes = false);

  /// Writes an attribute of the root group.
  void write_attribute(const std::string& name, const AttributeValue& value);

  /// Writes a data set [rows] of compound type, with one member per column. At least one column is required. The
  /// columns must have different names and the same length, which may be zero.
  void write_table(const std::string& name, const std::vector<TableColumn>& columns);

  /// Begins a table of `rows` rows, which are appended later.
  Hdf5Table begin_table(const std::string& name, std::int64_t rows, const std::vector<ColumnType>& types);

  /// Writes an array as a data set of the same shape and type, in chunks of whole rows of about 1 MiB. The array must
  /// not be empty. `compression` is a gzip level, 0 (none) to 9, applied after HDF5's shuffle filter.
  void write_numbers(const std::string& name, const NumberArray& array, int compression);

  /// Writes an attribute of an existing data set.
  void write_text(const std::string& data_set, const std::string& name, const std::string& text);
  /// Writes an attribute of an existing data set, with at least one text. More than 4000 texts require
  /// `long_attributes`.
  void write_texts(const std::string& data_set, const std::string& name, const std::vector<std::string>& texts);

  /// Writes an attribute of an existing data set: a list of at least one number. More than 8000 numbers require
  /// `long_attributes`.
  void write_reals(const std::string& data_set, const std::string& name, const std::vector<double>& numbers);

  /// Writes all buffered data and waits until it is on the disk. Must be the last call.
  void close();

 private:
  Handle create_data_set(const std::string& name, std::int64_t type, std::int64_t space, std::int64_t creation) const;
  void write_values(const std::string& data_set, const std::string& name, const Handle& type, const Handle& space,
                    const void* values);
  std::string problem() const;

  std::string path_;
  WrittenFile output_;
  Handle handle_;
};

}  // namespace sheaf
