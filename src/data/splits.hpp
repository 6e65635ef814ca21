// Splits a data set into training, validation and test rows: folds, hold-out and bootstraps.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "core/random/random_stream.hpp"
#include "data/dataset.hpp"
#include "data/feature_scaling.hpp"
#include "data/moments.hpp"
#include "data/row_counts.hpp"
#include "data/row_set.hpp"
#include "data/target_scaling.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/data_options.hpp"

namespace sheaf {

struct Study;

/// One split of the rows. `scaling` and `target_scaling` are computed from the training rows only.
struct Split {
  RowSet training_rows;
  RowSet validation_rows;  ///< may be empty
  RowSet stopping_rows;    ///< that decide when a training stops, in none of the others; may be empty
  FeatureScaling scaling;
  TargetScaling target_scaling;
};

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

/// The number of rows that data.test leaves; with groups, approximately. Pure.
std::int64_t rows_without_test(const DataOptions& options, std::int64_t rows);

/// The number of validation rows in the smallest fold, or of the rows held out; 0 if there are none. With groups and
/// given folds, the mean number. Pure.
std::int64_t least_validation_rows(const Study& study, const RowCounts& rows);

/// The number of rows that train.stop_fraction holds out of the training rows of a fold; 0 if there are none. With
/// groups and given folds, approximately. Pure.
std::int64_t stopping_row_count(const Study& study, const RowCounts& rows);

/// Draws rows.count() rows from `rows` with replacement; with groups, as many groups as `rows` has
/// (bootstrap_groups()). `rows` must not have repetitions. Pure.
RowSet bootstrap_rows(const RowMarks& marks, const RowSet& rows, std::uint64_t iteration_seed);

/// The statistics of training rows from which feature_scaling() follows.
struct StatisticsNeeds {
  bool moments = false;
  bool sample = false;

  /// `fills` may be null.
  StatisticsNeeds(const FeatureFills* fills, Normalize normalize);
};

/// The scaling and the fill values that follow from the statistics of training rows. `fills` may be null; `moments` and
/// `sample` as needed, otherwise null and empty. Pure.
FeatureScaling feature_scaling(const FeatureFills* fills, const FeatureMoments* moments,
                               const std::vector<float>& sample, Normalize normalize);

/// Same, from the given rows of `data`, and from those of `sampled` (data/row_sample) that are among them. Bitwise
/// reproducible. Pure.
FeatureScaling feature_scaling(const DataSet& data, const RowSet& rows, Normalize normalize,
                               const std::vector<std::int64_t>& sampled);

/// The splits of a study over one data set. A split is computed when it is first requested, and then cached. The fold
/// numbers of a repeat take 4 bytes per row. Those of the first repeats stay in memory shared by the ranks of the node;
/// of the others, each rank caches the most recent ones. Thread-safe.
class Splits {
 public:
  /// Splits of this rank only, without shared memory. Throws RunError if there are fewer rows or groups than folds, or
  /// too few to train, validate and test. Keeps `data` alive.
  Splits(const Study& study, DataSet data);
  /// Splits shared by the ranks of `node`, which must have the same `data`. They must not outlive `node`. Throws as
  /// above, and AgreedError if the node does not have enough shared memory. Collective over `node`, as is the
  /// destructor.
  Splits(const Study& study, DataSet data, const Communicator& node);
  ~Splits();

  /// Sets the scaling of every split, for data without features (streamed_statistics). Must be called before other
  /// threads use the splits. Does not change splits that were returned before.
  void scale_by(std::vector<FeatureScaling> scalings);

  /// The number of different splits. They are numbered by repeat and fold; the fold varies fastest. All repeats have
  /// the same splits if no rows are held out, with given folds, with times and with data.validation_file.
  std::int64_t count() const;

  /// The split of a repeat and fold. Without folds, `fold` is 0, and the validation rows are the fraction
  /// `data.validation` of the rows or those of data.validation_file. The fraction `train.stop_fraction` of the other
  /// rows are stopping rows.
  std::shared_ptr<const Split> split(std::int64_t repeat, std::int64_t fold);

  /// Sets only the rows of a split, without a cache.
  void rows_of_split(std::int64_t repeat, std::int64_t fold, Split& split);

  /// The rows that data.test holds out, or those of data.test_file, which are in no split.
  const RowSet& test_rows() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Throws RunError unless every split has at least one training row, if the rows have no groups. Pure.
void require_enough_rows(const Study& study, std::int64_t rows);

/// The order of the rows in one epoch: shuffled or ascending. Pure.
std::vector<std::int64_t> epoch_order(const RowSet& rows, bool shuffled, std::uint64_t iteration_seed,
                                      std::int64_t epoch);

/// Same, written to `order`, which must have space for rows.count() numbers; does not allocate.
void epoch_order(const RowSet& rows, bool shuffled, std::uint64_t iteration_seed, std::int64_t epoch,
                 std::int64_t* order);

}  // namespace sheaf
