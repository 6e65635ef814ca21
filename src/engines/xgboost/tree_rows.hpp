// Rows of features as rows for trees, in which missing values are NaN. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/dataset.hpp"
#include "data/feature_kind.hpp"

namespace sheaf {

/// Whether each feature is a code of categories.
std::vector<bool> categorical_features(const std::vector<FeatureKind>& kinds);

/// Writes a row: the number, for an empty cell the value that the data state, otherwise NaN; or the code 0, 1, ... of
/// the category, NaN for an empty cell or an unknown text. `features`: of the row, without scaling.
template <class Value>
void write_tree_row(const std::vector<FeatureKind>& kinds, const Value* features, float* values);

/// `count` rows of a data set, [count, features].
std::vector<float> tree_rows(const std::vector<FeatureKind>& kinds, const DataSet& data, const std::int64_t* rows,
                             std::int64_t count);

/// The logits [rows, 2] of two classes, of the logit of the second one.
std::vector<float> logits_of_two(const std::vector<float>& logits);

}  // namespace sheaf
