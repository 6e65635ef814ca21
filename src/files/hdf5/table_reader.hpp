// Reads tables that table_writer writes, column by column.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/index_range.hpp"
#include "files/hdf5/handle.hpp"

namespace sheaf {

/// An open table. Created by InputFile, which must outlive it.
class TableReader {
 public:
  std::int64_t rows() const { return rows_; }
  bool has_column(const std::string& column) const;
  /// The numbers in each row of a column of numbers: 1, or the length of its arrays. Throws RunError without such a
  /// column.
  std::size_t width(const std::string& column) const;

  /// Reads a column of numbers, converted to T (double or std::int64_t): values[rows.count() * width(column)]. Throws
  /// RunError if the table has no such column, or its rows cannot be read. Local.
  template <class T>
  std::vector<T> read(const std::string& column, IndexRange rows) const;
  /// Same, for a column of texts: texts[rows.count()].
  std::vector<std::string> read_texts(const std::string& column, IndexRange rows) const;

 private:
  friend class InputFile;
  TableReader(Handle handle, std::string description);
  Handle column_type(const std::string& column, int type_class) const;
  void read_members(const std::string& column, std::int64_t type, std::size_t bytes, IndexRange rows,
                    void* values) const;

  Handle handle_;
  std::string description_;
  std::int64_t rows_ = 0;
};

extern template std::vector<double> TableReader::read(const std::string&, IndexRange) const;
extern template std::vector<std::int64_t> TableReader::read(const std::string&, IndexRange) const;

}  // namespace sheaf
