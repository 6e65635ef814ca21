// Values that replace empty cells (NaN) of features. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/data_description.hpp"

namespace sheaf {

/// How empty cells of a table are filled, one value of each per feature.
struct FeatureFills {
  std::vector<bool> is_number;  ///< false: a code of a category
  std::vector<bool> has_input;  ///< linear models and MLPs have an input for empty cells (FeatureKind::has_empty_cells)
  std::vector<FillRule> rules;
  std::vector<float> known;               ///< values that are known, minus the column's offset; NaN: by the rule
  std::vector<std::int64_t> empty_cells;  ///< numbers of empty cells among all rows

  bool has_empty_cells() const;
  /// Whether some empty cells are filled by this rule.
  bool uses(FillRule rule) const;
  /// Whether a feature has empty cells and an input for them.
  bool uses_inputs() const;
};

/// The fills of a table with `features` features, without empty cells. `columns` may be empty.
FeatureFills feature_fills(const std::vector<DataColumn>& columns, std::int64_t features);

/// Adds the empty cells of `rows` rows of `values`, [rows, features], to `counts`.
void count_empty_cells(const float* values, std::int64_t rows, std::vector<std::int64_t>& counts);

/// What takes empty cells: networks with an encoding, other networks, trees.
enum class EmptyCellsFor { encodings, other_networks, trees };

/// "12 empty cells in 2 columns are filled with the median of the training rows", for trees "... are missing values for
/// the trees"; empty without empty cells.
std::string empty_cells_text(const FeatureFills& fills, EmptyCellsFor taker = EmptyCellsFor::other_networks);

}  // namespace sheaf
