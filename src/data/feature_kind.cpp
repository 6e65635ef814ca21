// SPDX-License-Identifier: MIT
#include "data/feature_kind.hpp"

namespace sheaf {

std::vector<FeatureKind> feature_kinds(const std::vector<DataColumn>& columns, std::int64_t features) {
  std::vector<FeatureKind> kinds;
  for (const DataColumn& column : columns) {
    const bool is_filled = !column.is_text() && (column.fill || column.fill_rule != FillRule::median);
    FeatureKind kind{static_cast<std::int64_t>(column.categories.size()), column.has_empty_cells && !is_filled};
    if (column.fill && !column.is_text()) kind.fill = static_cast<float>(*column.fill - column.offset);
    kinds.push_back(kind);
  }
  kinds.resize(static_cast<std::size_t>(features));
  return kinds;
}

std::vector<std::int64_t> category_features(const std::vector<FeatureKind>& kinds) {
  std::vector<std::int64_t> features;
  for (std::size_t feature = 0; feature < kinds.size(); ++feature)
    if (kinds[feature].is_category()) features.push_back(static_cast<std::int64_t>(feature));
  return features;
}

}  // namespace sheaf
