// Which rows train and which validate: folds, hold-out and bootstraps over the shared rows.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "data/dataset.hpp"
#include "data/moments.hpp"
#include "data/row_set.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/study.hpp"

namespace sheaf {

/// value = (feature - shift) * scale, a pair for each feature. Empty: features stay as they are.
struct FeatureScaling {
  std::vector<float> shift;
  std::vector<float> scale;
};

/// One split of the rows. `scaling` comes from the training rows alone.
struct Split {
  RowSet training_rows;
  RowSet validation_rows;  ///< may be empty
  FeatureScaling scaling;
};

/// Shuffled folds of almost equal size: the fold of each row, 0..folds-1. Stratified for classification: each class
/// is dealt over the folds as evenly as can be. Depends on (seed, repeat) only. Pure.
std::vector<std::int32_t> assign_folds(const DataSet& data, std::int64_t folds, std::uint64_t seed,
                                       std::int64_t repeat);

/// How many rows are held out: round(rows * fraction), at least 1. Pure.
std::int64_t holdout_count(std::int64_t rows, double fraction);

/// The rows held out, holdout_count of them: shuffled and, for classification, stratified. Ascending. Pure.
std::vector<std::int64_t> holdout_rows(const DataSet& data, double fraction, std::uint64_t seed, std::int64_t repeat);

/// As many rows as given, drawn from them with replacement. `rows` has none twice. Pure.
RowSet bootstrap_rows(const RowSet& rows, std::uint64_t iteration_seed);

/// scaling_of() the moments, rounded to float. Pure.
FeatureScaling feature_scaling(const FeatureMoments& moments, Normalize normalize);

/// The scaling by these rows, none with Normalize::none. The same bits whatever else is computed. Pure.
FeatureScaling feature_scaling(const DataSet& data, const RowSet& rows, Normalize normalize);

/// The splits of a study over one data set, made when first asked for and then shared. Each repeat's take 4 bytes per
/// row, the number of its fold: the first repeats' are in memory that the ranks of the node share and stay there, of
/// the others each rank keeps some. Without folds and hold-out nothing is kept. Thread-safe.
class Splits {
 public:
  /// Throws RunError when there are fewer rows than folds (or too few to train and validate). `data` is kept. The
  /// splits of this rank alone.
  Splits(const Study& study, DataSet data);
  /// The same, shared by the ranks of `node`, whose `data` are alike. The splits must not outlive it. Throws
  /// AgreedError when the node lacks the shared memory. Collective over `node`, as is the destructor.
  Splits(const Study& study, DataSet data, const Communicator& node);
  ~Splits();

  /// For data without features: sets the scaling of every split (streamed_scalings). Before any other thread asks for
  /// one; those given out before stay as they are.
  void scale_by(std::vector<FeatureScaling> scalings);

  /// Different splits: of each repeat and fold, the fold fastest.
  std::int64_t count() const;

  /// Without folds `fold` is 0 and the split holds out `data.validation` of the rows.
  std::shared_ptr<const Split> split(std::int64_t repeat, std::int64_t fold);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Throws RunError unless every split has a row to train on. Pure.
void require_enough_rows(std::int64_t rows, std::int64_t folds, double validation);

/// The rows in the order of one epoch: shuffled, or ascending. Pure.
std::vector<std::int64_t> epoch_order(const RowSet& rows, bool shuffled, std::uint64_t iteration_seed,
                                      std::int64_t epoch);

/// The same into `order`, which has room for rows.count(); allocates nothing.
void epoch_order(const RowSet& rows, bool shuffled, std::uint64_t iteration_seed, std::int64_t epoch,
                 std::int64_t* order);

}  // namespace sheaf
