// The score of predictions: accuracy or R2. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/dataset.hpp"
#include "data/row_set.hpp"

namespace sheaf {

/// classification: share of `rows` whose largest prediction (the first of equals) is their label. regression: R2, the
/// mean over outputs of 1 - residual / total sum of squares, in double; an output that is constant over the rows counts
/// 1 if predicted exactly, else 0. `predictions`: [rows, output_count], row-major, in the order of `rows`, which are
/// not empty. Source: scikit-learn's accuracy_score and r2_score (uniform_average).
double prediction_score(const std::vector<float>& predictions, const DataSet& data, const RowSet& rows);

}  // namespace sheaf
