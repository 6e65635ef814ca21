// Tables that fit the width of a terminal. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sheaf {

/// A column of a table whose width is limited.
struct FittedColumn {
  std::string name;        ///< header
  std::string short_name;  ///< header if the table would be too wide; may equal `name`
  int importance = 0;      ///< if columns do not fit, those with the lowest importance are left out, the last one first
  bool may_be_cut = false;         ///< whether long headers and cells may be cut
  std::vector<std::string> cells;  ///< of the same number in all columns
};

/// `text` if it has at most `width` columns; otherwise its beginning and end with "..." between them. `width`: >= 3.
std::string cut_in_the_middle(const std::string& text, std::size_t width);

struct FittedTable {
  std::string text;         ///< as format_table()
  std::size_t omitted = 0;  ///< columns that are left out
};

/// A table of at most `width` columns of the terminal. If it is too wide, it gets the short headers; then columns are
/// left out until the others fit; then the widest cells are cut. The most important column always stays.
FittedTable fitted_table(std::vector<FittedColumn> columns, std::size_t width);

}  // namespace sheaf
