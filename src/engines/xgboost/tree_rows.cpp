// SPDX-License-Identifier: MIT
#include "engines/xgboost/tree_rows.hpp"

#include <cmath>
#include <cstddef>

namespace sheaf {

std::vector<bool> categorical_features(const std::vector<FeatureKind>& kinds) {
  std::vector<bool> categorical;
  categorical.reserve(kinds.size());
  for (const FeatureKind& kind : kinds) categorical.push_back(kind.is_category());
  return categorical;
}

template <class Value>
void write_tree_row(const std::vector<FeatureKind>& kinds, const Value* features, float* values) {
  for (const FeatureKind& kind : kinds) {
    const auto value = static_cast<float>(*features++);
    const bool is_missing = kind.is_category() ? value < 0 : std::isnan(value);
    *values++ = is_missing ? kind.fill : value;
  }
}

template void write_tree_row(const std::vector<FeatureKind>&, const float*, float*);
template void write_tree_row(const std::vector<FeatureKind>&, const std::uint8_t*, float*);

std::vector<float> tree_rows(const std::vector<FeatureKind>& kinds, const DataSet& data, const std::int64_t* rows,
                             std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count) * kinds.size());
  float* next = values.data();
  for (std::int64_t row = 0; row < count; ++row, next += kinds.size()) {
    const std::int64_t offset = rows[row] * data.feature_count;
    if (data.byte_features != nullptr)
      write_tree_row(kinds, data.byte_features + offset, next);
    else
      write_tree_row(kinds, data.features + offset, next);
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
