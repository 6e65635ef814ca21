// Checks of imported data.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "data/import/imported_data.hpp"
#include "fuzzing.hpp"

namespace sheaf::fuzz {

inline void must_be_whole(const NumberArray& array, const std::string& name) {
  must(array.rows() > 0 && array.row_elements() > 0, name + " has rows and columns");
  must(array.elements() == static_cast<std::size_t>(array.rows() * array.row_elements()), name + " fills its shape");
}

inline void must_be_sound(const ImportedData& data) {
  must_be_whole(data.features, "features");
  visit_numbers(data.features, [&](const auto* values) {
    must(std::all_of(values, values + data.features.elements(),
                     [](auto value) { return std::isfinite(static_cast<float>(value)); }),
         "features are finite");
  });
  const auto& columns = data.description.columns;
  must(columns.empty() || static_cast<std::int64_t>(columns.size()) == data.features.row_elements(),
       "the columns describe the features");
  must(columns.empty() || parse_columns(columns_text(columns, {})).columns == columns,
       "columns are the same after writing and reading");
  if (!data.targets) return;
  must_be_whole(*data.targets, "targets");
  must(data.features.rows() == data.targets->rows(), "features and targets have the same number of rows");
  const auto names = static_cast<std::int64_t>(data.description.class_names.size());
  must(names == 0 || names >= data.classes(), "every class has a name");
}

}  // namespace sheaf::fuzz
