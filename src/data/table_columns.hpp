// The columns of a table that the columns of a data file come from. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "data/data_description.hpp"

namespace sheaf {

struct TableColumns {
  std::vector<std::string> names;      ///< in the order of `of_column`; empty texts if the table has no header
  std::vector<std::size_t> of_column;  ///< the number of the table's column for each column of the data file
};

/// Columns are different columns of the table, apart from parts of the same dates: those with the same source or, if
/// it has no name, neighbors in the order of the parts.
TableColumns table_columns(const std::vector<DataColumn>& columns);

/// The number of columns of the table that have dates.
std::int64_t date_column_count(const std::vector<DataColumn>& columns);

/// The columns of numbers, one for each part, that a column of dates becomes: "NAME.year" and others. `name`: empty if
/// the table has no header.
std::vector<DataColumn> date_columns(const std::string& name, DateFormat format);

}  // namespace sheaf
