// What the features of a row are: numbers or codes of categories. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "data/data_description.hpp"

namespace sheaf {

/// The code of an empty cell or an unknown text.
inline constexpr float no_category = -1;

/// A feature: a number, or the code of a category, 0..categories-1 or no_category.
struct FeatureKind {
  std::int64_t categories = 0;   ///< 0: a number
  bool has_empty_cells = false;  ///< categories: no_category is a category of its own, that of empty cells; numbers:
                                 ///< empty cells are NaN, and the data do not say how to fill them
  float fill = std::numeric_limits<float>::quiet_NaN();  ///< the value that the data state for empty cells of a number;
                                                         ///< NaN: none

  bool is_category() const { return categories > 0; }
};

/// The features of `columns`, in order. Without columns, `features` numbers.
std::vector<FeatureKind> feature_kinds(const std::vector<DataColumn>& columns, std::int64_t features);

/// The features that are codes of categories, in ascending order.
std::vector<std::int64_t> category_features(const std::vector<FeatureKind>& kinds);

}  // namespace sheaf
