// SPDX-License-Identifier: MIT
#include "data/column_features.hpp"

namespace sheaf {

std::vector<ColumnFeatures> column_features(const std::vector<DataColumn>& columns, std::int64_t features) {
  std::vector<ColumnFeatures> all;
  std::int64_t first = 0;
  for (const DataColumn& column : columns) {
    ColumnFeatures features_of{first, column.feature_count(), column.is_text(),
                               column.is_text() && column.has_empty_cells};
    if (column.fill && !column.is_text()) features_of.fill = static_cast<float>(*column.fill - column.offset);
    all.push_back(features_of);
    first += column.feature_count();
  }
  for (; first < features; ++first) all.push_back({first});
  return all;
}

}  // namespace sheaf
