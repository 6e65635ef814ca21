// The columns of the files of an import, all of which have the same.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/import/csv_beginning.hpp"
#include "data/import/csv_columns.hpp"
#include "data/import/csv_options.hpp"

namespace sheaf {

struct CsvLayout {
  std::size_t column_count = 0;
  std::vector<std::string> names;  ///< empty without a header
  ColumnRoles roles;
  bool has_numbers = false;  ///< whether targets are numbers, if that is known before they are read

  /// "column 2 ('price')"
  std::string text_of(std::size_t column) const;
  /// The name of the column or, if options cannot contain it, its number.
  std::string option_of(std::size_t column) const;
  /// The names of the columns that are neither features nor targets, sorted.
  std::vector<std::string> dropped_names() const;
};

/// The columns of the first file. Throws RunError as choose_roles(), and if the number of targets does not fit the
/// task.
CsvLayout choose_layout(const CsvBeginning& first, const CsvOptions& options);

/// Throws RunError unless `file` has the columns of `layout`. `previous`: the name of the file before it.
void require_same_columns(const CsvLayout& layout, const CsvBeginning& file, const std::string& previous);

}  // namespace sheaf
