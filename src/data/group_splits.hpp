// Assigns whole groups of rows to folds, to a hold-out and to bootstraps.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/random/random_stream.hpp"
#include "data/dataset.hpp"
#include "data/row_set.hpp"

namespace sheaf {

/// The number of groups with a row in `rows`. Pure.
std::int64_t groups_in(const RowMarks& groups, const RowSet& rows);

/// Assigns the groups of `rows` to folds; returns the fold of each group, -1 for groups without such rows. Large groups
/// first, each group joins the fold that has the smallest part of its classes: the fold that increases the variance of
/// the parts of each class least; of equal ones, the fold with the fewest rows (as scikit-learn's StratifiedGroupKFold,
/// which compares the mean of standard deviations). Regression has one class: the groups join the fold with the fewest
/// rows (as GroupKFold). Groups of similar size are in random order. `rows` must have at least `folds` groups: every
/// fold gets one. Pure.
std::vector<std::int32_t> assign_groups(const DataSet& data, const RowSet& rows, std::int64_t folds,
                                        RandomStream stream);

/// Whether each group is held out. In random order, a group is held out if that brings the parts of the classes that
/// are held out closer to `fraction`; of 16 orders, the one that comes closest counts. At least one of the groups of
/// `rows`, which are at least two, is held out, and one is not. Pure.
std::vector<bool> hold_out_groups(const DataSet& data, const RowSet& rows, double fraction, RandomStream stream);

/// The rows of as many groups as `rows` has, drawn from those groups with replacement. `rows` must have whole groups,
/// without repetitions. Pure.
RowSet bootstrap_groups(const RowMarks& groups, const RowSet& rows, RandomStream stream);

}  // namespace sheaf
