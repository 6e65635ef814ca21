// Small data sets for tests.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "data/dataset.hpp"
#include "data/row_draws.hpp"

namespace sheaf::test {

/// A classification data set with one constant feature and the given labels.
inline DataSet data_with_labels(std::vector<std::int64_t> labels) {
  struct Owner {
    std::vector<std::int64_t> labels;
    std::vector<float> features;
  };
  auto owner = std::make_shared<Owner>();
  owner->labels = std::move(labels);
  owner->features.resize(owner->labels.size());
  DataSet data;
  data.task = Task::classification;
  data.rows = static_cast<std::int64_t>(owner->labels.size());
  data.feature_count = 1;
  data.output_count = data.rows == 0 ? 1 : *std::max_element(owner->labels.begin(), owner->labels.end()) + 1;
  data.labels = owner->labels.data();
  data.features = owner->features.data();
  data.owner = owner;
  return data;
}

/// A regression data set with the given features, in row-major order. The targets are arbitrary.
inline DataSet data_with_features(std::int64_t feature_count, std::vector<float> features) {
  auto owner = std::make_shared<std::vector<float>>(std::move(features));
  DataSet data;
  data.feature_count = feature_count;
  data.rows = static_cast<std::int64_t>(owner->size()) / feature_count;
  data.output_count = 1;
  data.features = owner->data();
  data.targets = owner->data();
  data.owner = owner;
  return data;
}

/// The folds of all rows in a repeat.
inline std::vector<std::int32_t> folds_of(const DataSet& data, std::int64_t folds, std::uint64_t seed,
                                          std::uint64_t repeat) {
  std::vector<std::int32_t> fold_of(static_cast<std::size_t>(data.rows), -1);
  assign_folds(data, RowSet::all(data.rows), folds, RandomStream(seed, Purpose::folds, repeat), fold_of.data());
  return fold_of;
}

/// The rows that are held out in a repeat.
inline std::vector<std::int64_t> held_out_of(const DataSet& data, double fraction, std::uint64_t seed,
                                             std::uint64_t repeat) {
  return holdout_rows(data, RowSet::all(data.rows), fraction, RandomStream(seed, Purpose::holdout, repeat));
}

/// Unsorted labels of `classes` classes with very different sizes. The last class has one row.
inline std::vector<std::int64_t> uneven_labels(std::int64_t rows, std::int64_t classes) {
  std::vector<std::int64_t> labels;
  for (std::int64_t row = 0; row + 1 < rows; ++row) labels.push_back(row * row % 97 % (classes - 1));
  labels.push_back(classes - 1);
  return labels;
}

}  // namespace sheaf::test
