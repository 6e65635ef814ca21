// The roles of the columns of a CSV file.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/import/csv_options.hpp"

namespace sheaf {

/// Whether record `first` is a header: none of its fields is a number, or one of them is text (and no word for an empty
/// cell) where record `second` (may be empty) has a number, or they are "", "0", "1", ..., as pandas numbers columns.
bool has_header(const std::vector<std::string>& first, const std::vector<std::string>& second);

/// The columns in `list` ("price", "0", "-1", "a,b"). Each is a name in `names` (empty without a header), or a number
/// from 0, or a negative number counted from the end. Throws RunError for unknown columns, with a similar name. `file`
/// is for messages.
std::vector<std::size_t> find_columns(const std::string& list, const std::vector<std::string>& names,
                                      std::size_t column_count, const std::string& file);

/// The columns of a file, by number.
struct ColumnRoles {
  std::vector<std::size_t> features;     ///< in the order of the features
  std::vector<std::size_t> targets;      ///< empty: the file has no targets, or they are not read
  std::vector<std::size_t> categorical;  ///< features that are text in any case
  std::optional<std::size_t> id;
  std::optional<std::size_t> row_names;  ///< an unnamed first column, which is left out
};

/// Chooses the roles. `names`: of the header, empty without one. Throws RunError if columns are missing, unknown or
/// have the same name.
ColumnRoles choose_roles(const CsvOptions& options, const std::vector<std::string>& names, std::size_t column_count,
                         const std::string& file);

}  // namespace sheaf
