// Which rows train and which validate: folds, hold-out and bootstraps as index lists over the shared rows. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dataset/dataset.hpp"
#include "options/study.hpp"

namespace sheaf {

/// value = (feature - shift) * scale, a pair for each feature. Empty: features stay as they are.
struct FeatureScaling {
  std::vector<float> shift;
  std::vector<float> scale;
};

/// One split of the rows. Row numbers ascend. `scaling` comes from the training rows alone.
struct Split {
  std::vector<std::int64_t> training_rows;
  std::vector<std::int64_t> validation_rows;  ///< may be empty
  FeatureScaling scaling;
};

/// Shuffled folds of almost equal size: the fold of each row, 0..folds-1. Stratified for classification: each class
/// is dealt over the folds as evenly as can be. Depends on (seed, repeat) only.
std::vector<std::int32_t> assign_folds(const DataSet& data, std::int64_t folds, std::uint64_t seed,
                                       std::int64_t repeat);

/// The rows held out: round(rows * fraction), at least 1, shuffled and, for classification, stratified. Ascending.
std::vector<std::int64_t> holdout_rows(const DataSet& data, double fraction, std::uint64_t seed, std::int64_t repeat);

/// As many rows as given, drawn from them with replacement; ascending.
std::vector<std::int64_t> bootstrap_rows(const std::vector<std::int64_t>& rows, std::uint64_t iteration_seed);

/// standard: mean 0 and (population) standard deviation 1; minmax: 0..1. A constant feature is only shifted. Sums run
/// in double, in row order. Source: scikit-learn's StandardScaler and MinMaxScaler.
FeatureScaling feature_scaling(const DataSet& data, const std::vector<std::int64_t>& rows, Normalise normalise);

/// The splits of a study over one data set, made when first asked for and then shared. Thread-safe.
class Splits {
 public:
  /// Throws RunError when there are fewer rows than folds (or too few to train and validate). `data` is kept. Data
  /// without features are scaled by `scalings` (streamed_scalings), if by anything.
  Splits(const Study& study, DataSet data, std::vector<FeatureScaling> scalings = {});
  ~Splits();

  /// Different splits: of each repeat and fold, the fold fastest.
  std::int64_t count() const;

  /// Without folds `fold` is 0 and the split holds out `data.validation` of the rows.
  std::shared_ptr<const Split> split(std::int64_t repeat, std::int64_t fold);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Row order of one epoch: a permutation of 0..count-1 (positions in the list of training rows); the identity without
/// shuffle.
std::vector<std::int64_t> batch_order(std::int64_t count, bool shuffled, std::uint64_t iteration_seed,
                                      std::int64_t epoch);

/// The same into `order`, which has room for `count`; allocates nothing.
void batch_order(std::int64_t count, bool shuffled, std::uint64_t iteration_seed, std::int64_t epoch,
                 std::int64_t* order);

}  // namespace sheaf
