// Imports tables of numbers from CSV files.
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
  char delimiter = 0;          ///< 0: detect_delimiter() of the first record
  std::optional<bool> header;  ///< nullopt: has_header()
  std::string label = "-1";    ///< label columns: names or numbers, separated by commas
  std::string drop;            ///< columns to leave out, in the same format
  std::optional<Task> task;    ///< nullopt: see LabelColumn; with several label columns, regression
};

/// Imports the rows of all files, in order: features float32 [rows, columns], columns in the order of the file. Throws
/// RunError with the file and line.
ImportedData import_csv(const std::vector<std::unique_ptr<ByteSource>>& sources, const CsvOptions& options);

/// Whether record `first` is a header: none of its fields is a number, or one of them is text where record `second`
/// (may be empty) has a number.
bool has_header(const std::vector<std::string>& first, const std::vector<std::string>& second);

/// The columns in `list` ("price", "0", "-1", "a,b"). Each is a name in `names` (empty without a header), or a number
/// from 0, or a negative number counted from the end. Throws RunError for unknown columns, with a similar name. `file`
/// is for messages.
std::vector<std::size_t> find_columns(const std::string& list, const std::vector<std::string>& names,
                                      std::size_t column_count, const std::string& file);

}  // namespace sheaf
