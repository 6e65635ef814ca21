// The roles of the columns of a CSV file.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/import/csv_options.hpp"

namespace sheaf {

/// The parts of a list: "a,b".
std::vector<std::string> split_list(const std::string& list);

/// The columns in `list` ("price", "0", "-1", "a,b"). Each is a name in `names` (empty without a header), or a number
/// from 0, or a negative number counted from the end. Throws RunError for unknown columns, with a similar name. `file`
/// is for messages.
std::vector<std::size_t> find_columns(const std::string& list, const std::vector<std::string>& names,
                                      std::size_t column_count, const std::string& file);

/// The columns of a file, by number.
struct ColumnRoles {
  std::vector<std::size_t> features;     ///< those that become features, in the order of the known ones
  std::vector<std::size_t> targets;      ///< empty: the file has no targets, or they are not read
  std::vector<std::size_t> categorical;  ///< features that are text in any case
  std::vector<std::size_t> kept;         ///< columns that --keep names: those of dates are text, too
  std::vector<std::size_t> row_names;    ///< first columns that are unnamed or named as by pandas, which are left out
  std::vector<std::size_t> dropped;      ///< columns that an option or the known data leave out
  std::vector<std::size_t> left_out;     ///< columns that are left out because of their content
  std::optional<std::size_t> id, groups, folds, time, weights;
};

/// Chooses the roles. `names`: of the header, empty without one. `left_out`: columns that are not features unless
/// options or the known data make them so. Throws RunError if columns are missing, unknown or have the same name.
ColumnRoles choose_roles(const CsvOptions& options, const std::vector<std::string>& names, std::size_t column_count,
                         const std::string& file, const std::vector<std::size_t>& left_out = {});

}  // namespace sheaf
