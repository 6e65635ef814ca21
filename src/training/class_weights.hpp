// Weights of classes in the training loss (train.class_weights).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "data/row_set.hpp"
#include "study/train_options.hpp"

namespace sheaf {

struct Study;

/// The weight of each class for a training on `rows`, [classes]; empty if all are 1. balanced: n / (K n_k), with n
/// rows, K classes that occur and n_k rows of class k; 0 for classes that do not occur. Row weights do not count. Of
/// single classes: those that `data` does not have are left out (class_weights_problem()). Pure. Source:
/// compute_class_weight of scikit-learn.
std::vector<double> class_weights(const TrainOptions& train, const DataSet& data, const RowSet& rows);

/// The weights of validation, stopping or test rows with search.weighted, [rows]: data.weights times class_weights() of
/// `training_rows`, those of the split, also for a bootstrap sample of them. Otherwise empty: all are 1. Pure.
std::vector<float> scoring_weights(const Study& study, const TrainOptions& train, const DataSet& data,
                                   const RowSet& training_rows, const RowSet& rows);

/// Whether any of `rows` has a weight above 0, by data.weights and class_weights(). Pure.
bool any_row_counts(const DataSet& data, const std::vector<double>& class_weights, const RowSet& rows);

/// Why the weights do not fit the classes, and what to do; "" if they do. `data`: such as "'iris.h5'". Pure.
std::string class_weights_problem(const ClassWeights& weights, const std::vector<std::string>& class_names,
                                  std::int64_t classes, const std::string& data);

}  // namespace sheaf
