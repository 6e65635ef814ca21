// Rows of features as rows of columns for trees: a column of texts has one code, not a feature for each category. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/column_features.hpp"
#include "data/dataset.hpp"

namespace sheaf {

/// Whether each column is one of texts.
std::vector<bool> categorical_columns(const std::vector<ColumnFeatures>& columns);

/// Writes the columns of a row: the number, for an empty cell the value that the data state, otherwise NaN; or the code
/// 0, 1, ... of the category, NaN for an empty cell or an unknown text. `features`: of the row, without scaling.
template <class Value>
void write_tree_row(const std::vector<ColumnFeatures>& columns, const Value* features, float* values);

/// The columns of `count` rows of a data set, [count, columns].
std::vector<float> tree_rows(const std::vector<ColumnFeatures>& columns, const DataSet& data, const std::int64_t* rows,
                             std::int64_t count);

/// The logits [rows, 2] of two classes, of the logit of the second one.
std::vector<float> logits_of_two(const std::vector<float>& logits);

}  // namespace sheaf
