// How many rows the splits of a study have.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "data/row_counts.hpp"
#include "study/data_options.hpp"

namespace sheaf {

struct Study;

/// The number of rows that data.test leaves; with groups, approximately. Pure.
std::int64_t rows_without_test(const DataOptions& options, std::int64_t rows);

/// The number of validation rows in the smallest fold, or of the rows held out; 0 if there are none. With groups and
/// given folds, the mean number. Pure.
std::int64_t least_validation_rows(const Study& study, const RowCounts& rows);

/// The number of rows that train.stop_fraction holds out of the training rows of the fold that has the fewest; 0 if
/// there are none. With groups and given folds, approximately. Pure.
std::int64_t stopping_row_count(const Study& study, const RowCounts& rows);

/// Throws RunError unless every split has at least one training row, if the rows have no groups and no given folds.
/// Pure.
void require_enough_rows(const Study& study, std::int64_t rows);

}  // namespace sheaf
