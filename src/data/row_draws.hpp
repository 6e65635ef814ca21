// Draws rows: folds, rows to hold out, bootstraps and the order of an epoch.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/random/random_stream.hpp"
#include "data/dataset.hpp"
#include "data/row_set.hpp"

namespace sheaf {

/// Assigns `rows` to folds: writes the fold of each, 0..folds-1, to `fold_of`, [data.rows]. Shuffled folds of almost
/// equal size; stratified for classification: each class is spread over the folds as evenly as possible. With groups:
/// assign_groups(). With given folds: those. With times: the rows are the first ones in time, and are divided into
/// folds + 1 blocks in the order of time, numbered 0..folds: folds blocks of count / (folds + 1) rows, and before them
/// one with the other rows, as in scikit-learn's TimeSeriesSplit. Pure.
void assign_folds(const DataSet& data, const RowSet& rows, std::int64_t folds, RandomStream stream,
                  std::int32_t* fold_of);

/// The number of rows to hold out: round(rows * fraction), at least 1. Pure.
std::int64_t holdout_count(std::int64_t rows, double fraction);

/// Those of `rows` that are held out, in ascending order: holdout_count() rows drawn at random, stratified for
/// classification; with times, the last ones. With groups: hold_out_groups(), so that their number may differ. Pure.
std::vector<std::int64_t> holdout_rows(const DataSet& data, const RowSet& rows, double fraction, RandomStream stream);

/// How many rows of each class holdout_rows() holds out of rows without groups and times; the same for all seeds and
/// repeats. `class_rows`: the number of rows of each class, at least one in all. Pure.
std::vector<std::int64_t> holdout_of_classes(const std::vector<std::int64_t>& class_rows, double fraction);

/// Draws rows.count() rows from `rows` with replacement; with groups, as many groups as `rows` has
/// (bootstrap_groups()). `rows` must not have repetitions. Pure.
RowSet bootstrap_rows(const RowMarks& marks, const RowSet& rows, std::uint64_t iteration_seed);

/// The order of the rows in one epoch: shuffled or ascending. Pure.
std::vector<std::int64_t> epoch_order(const RowSet& rows, bool shuffled, std::uint64_t iteration_seed,
                                      std::int64_t epoch);

/// Same, written to `order`, which must have space for rows.count() numbers; does not allocate.
void epoch_order(const RowSet& rows, bool shuffled, std::uint64_t iteration_seed, std::int64_t epoch,
                 std::int64_t* order);

}  // namespace sheaf
