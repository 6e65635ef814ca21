// Splits a data set into training, validation, stopping and test rows.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "data/dataset.hpp"
#include "data/feature_scaling.hpp"
#include "data/row_counts.hpp"
#include "data/row_set.hpp"
#include "data/target_scaling.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/trial.hpp"

namespace sheaf {

struct Study;

/// One split of the rows.
struct Split {
  RowSet training_rows;
  RowSet validation_rows;        ///< may be empty
  RowSet stopping_rows;          ///< that decide when a training stops, in none of the others; may be empty
  TargetScaling target_scaling;  ///< of the training rows
};

/// For each of several kinds, the scaling of each split, in the order of Splits::count().
using SplitScalings = std::map<ScalingKind, std::vector<FeatureScaling>>;

/// The splits of a study over one data set, and their scalings. Each is computed when it is first requested, and then
/// cached. The fold numbers of a repeat take 4 bytes per row. Those of the first repeats stay in memory shared by the
/// ranks of the node; of the others, each rank caches the most recent ones. Thread-safe.
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

  /// Sets the scalings of all splits, with run.refit then that of all rows, for data without features
  /// (streamed_statistics). Must be called before other threads use the splits. Without it, such data are not scaled.
  void scale_by(SplitScalings scalings);

  /// The number of different splits. They are numbered by repeat and fold; the fold varies fastest. All repeats have
  /// the same splits if no rows are drawn to be held out.
  std::int64_t count() const;

  /// The split of a repeat and fold. Without folds, `fold` is 0, and the validation rows are the fraction
  /// `data.validation` of the rows or those of data.validation_file. The fraction `train.stop_fraction` of the other
  /// rows are stopping rows. The fold after the last one has all rows as training rows, except test rows and those of
  /// data.validation_file.
  std::shared_ptr<const Split> split(std::int64_t repeat, std::int64_t fold);

  /// The scaling of the features that follows from the training rows of this split. `kind`: that of a trial.
  std::shared_ptr<const FeatureScaling> scaling(std::int64_t repeat, std::int64_t fold, ScalingKind kind);

  /// Sets only the rows of a split, without a cache.
  void rows_of_split(std::int64_t repeat, std::int64_t fold, Split& split);

  /// The rows that data.test holds out, or those of data.test_file, which are in no split.
  const RowSet& test_rows() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sheaf
