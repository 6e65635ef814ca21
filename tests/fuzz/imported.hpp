// Checks of imported data.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "data/description_text.hpp"
#include "data/import/imported_data.hpp"
#include "fuzzing.hpp"

namespace sheaf::fuzz {

inline void must_be_whole(const NumberArray& array, const std::string& name) {
  must(array.rows() > 0 && array.row_elements() > 0, name + " has rows and columns");
  must(array.elements() == static_cast<std::size_t>(array.rows() * array.row_elements()), name + " fills its shape");
}

inline void must_be_sound(const ImportedData& data) {
  must_be_whole(data.features, "features");
  const auto& columns = data.description.columns;
  visit_numbers(data.features, [&](const auto* values) {
    for (std::size_t index = 0; index < data.features.elements(); ++index) {
      const auto value = static_cast<float>(values[index]);
      const bool may_be_empty = columns.empty() || columns[index % columns.size()].has_empty_cells;
      must(std::isfinite(value) || (std::isnan(value) && may_be_empty), "features are finite, or empty cells");
    }
  });
  must(columns.empty() || static_cast<std::int64_t>(columns.size()) == data.features.row_elements(),
       "the columns describe the features");
  must(columns.empty() || parse_columns(columns_text(columns, {})).columns == columns,
       "columns are the same after writing and reading");
  for (const auto* array : {&data.groups, &data.folds, &data.weights})
    must(!*array || (*array)->rows() == data.features.rows(), "every row has a group, a fold and a weight");
  if (!data.targets) return;
  must_be_whole(*data.targets, "targets");
  must(data.features.rows() == data.targets->rows(), "features and targets have the same number of rows");
  const auto names = static_cast<std::int64_t>(data.description.class_names.size());
  must(names == 0 || names >= data.classes(), "every class has a name");
}

}  // namespace sheaf::fuzz
