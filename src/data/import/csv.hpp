// Tables of numbers as CSV.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/import/imported_data.hpp"
#include "files/byte_source.hpp"

namespace sheaf {

struct CsvOptions {
  char delimiter = 0;          ///< 0: detect_delimiter of the first record
  std::optional<bool> header;  ///< without it: see has_header
  std::string label = "-1";    ///< names or numbers of columns, commas between
  std::string drop;            ///< likewise: columns to leave out
  std::optional<Task> task;    ///< without it, the labels tell (LabelColumn); several label columns are regression
};

/// The table of all files, one after the other: features float32 [rows, columns], columns in the order of the file.
/// Throws RunError that names file and line.
ImportedData import_csv(const std::vector<std::unique_ptr<ByteSource>>& sources, const CsvOptions& options);

/// Whether `first` names columns: no field of it is a number, or one is text where `second` (may be empty) has a
/// number.
bool has_header(const std::vector<std::string>& first, const std::vector<std::string>& second);

/// The columns that `list` ("price", "0", "-1", "a,b") means: a name of `names` (empty: the file has no header), else a
/// number from 0, negative from the end. Throws RunError with the nearest name; `file` is for messages.
std::vector<std::size_t> find_columns(const std::string& list, const std::vector<std::string>& names,
                                      std::size_t column_count, const std::string& file);

}  // namespace sheaf
