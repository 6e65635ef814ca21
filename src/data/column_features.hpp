// The columns of a table that its features come from. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "data/data_description.hpp"

namespace sheaf {

/// The features first..first+count-1 of a row that come from one column of a table.
struct ColumnFeatures {
  std::int64_t first = 0, count = 1;
  bool is_text = false;          ///< one feature for each category, 1 in rows of this category and 0 in others
  bool has_empty_cells = false;  ///< of a column of texts: the first feature stands for empty cells
  float fill = std::numeric_limits<float>::quiet_NaN();  ///< the value that the data state for empty cells; NaN: none
};

/// Those of `columns`, in order. Without columns, each of the `features` features is a column of numbers.
std::vector<ColumnFeatures> column_features(const std::vector<DataColumn>& columns, std::int64_t features);

}  // namespace sheaf
