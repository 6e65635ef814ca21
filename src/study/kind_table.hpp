// Tables with one row for each value of an enumeration. Each row has its `kind` and its `name`, the text of the value.
// Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace sheaf {

/// Whether the rows of a table are in the order of the enumeration, so that row_of() finds them.
template <class Table>
constexpr bool is_in_order(const Table& table) {
  for (std::size_t index = 0; index < table.size(); ++index)
    if (static_cast<std::size_t>(table[index].kind) != index) return false;
  return true;
}

/// The row of a value in a table in order.
template <class Table, class Kind>
constexpr const auto& row_of(const Table& table, Kind kind) {
  return table[static_cast<std::size_t>(kind)];
}

}  // namespace sheaf
