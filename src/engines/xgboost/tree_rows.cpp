// SPDX-License-Identifier: MIT
#include "engines/xgboost/tree_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace sheaf {

std::vector<bool> categorical_columns(const std::vector<ColumnFeatures>& columns) {
  std::vector<bool> categorical;
  categorical.reserve(columns.size());
  for (const ColumnFeatures& column : columns) categorical.push_back(column.is_text);
  return categorical;
}

template <class Value>
void write_tree_row(const std::vector<ColumnFeatures>& columns, const Value* features, float* values) {
  constexpr float missing = std::numeric_limits<float>::quiet_NaN();
  for (const ColumnFeatures& column : columns) {
    const Value* const own = features + column.first;
    if (!column.is_text) {
      const auto number = static_cast<float>(*own);
      *values++ = std::isnan(number) ? column.fill : number;
      continue;
    }
    const Value* const found = std::find(own, own + column.count, Value{1});
    const std::ptrdiff_t code = found - own - (column.has_empty_cells ? 1 : 0);
    *values++ = found == own + column.count || code < 0 ? missing : static_cast<float>(code);
  }
}

template void write_tree_row(const std::vector<ColumnFeatures>&, const float*, float*);
template void write_tree_row(const std::vector<ColumnFeatures>&, const std::uint8_t*, float*);

std::vector<float> tree_rows(const std::vector<ColumnFeatures>& columns, const DataSet& data, const std::int64_t* rows,
                             std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count) * columns.size());
  float* next = values.data();
  for (std::int64_t row = 0; row < count; ++row, next += columns.size()) {
    const std::int64_t offset = rows[row] * data.feature_count;
    if (data.byte_features != nullptr)
      write_tree_row(columns, data.byte_features + offset, next);
    else
      write_tree_row(columns, data.features + offset, next);
  }
  return values;
}

std::vector<float> logits_of_two(const std::vector<float>& logits) {
  std::vector<float> of_two;
  of_two.reserve(2 * logits.size());
  for (const float logit : logits) of_two.insert(of_two.end(), {0, logit});
  return of_two;
}

}  // namespace sheaf
