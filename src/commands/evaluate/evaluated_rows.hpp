// The rows on which a model is evaluated, read by any number of lanes. They come from an HDF5 file (hdf5_rows) or from
// an imported file in memory (imported_rows). Features are in the order that the model expects, and labels are numbered
// as in the model.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/aligned_vector.hpp"
#include "core/index_range.hpp"
#include "data/data_description.hpp"
#include "study/data_options.hpp"

namespace sheaf {

/// Whether targets are read; if_present: if the file has them.
enum class TargetsMode { if_present, no, yes };

/// The values that a model has for empty cells.
struct EmptyCellFills {
  std::vector<float> values;  ///< FeatureScaling::fill; may be empty
  std::string model;          ///< names the model in messages: "model 'm.pt'"; empty: not a model of sheaf
  std::vector<bool> taken{};  ///< features_that_may_be_empty() of the model
};

/// Reads rows for one lane. Not thread-safe.
class RowReader {
 public:
  virtual ~RowReader() = default;

  /// Reads rows, which the functions below return. Throws RunError if they cannot be read, a target is not finite, or a
  /// label or a weight is not valid.
  virtual void read(IndexRange rows) = 0;

  /// [rows, features], without the offsets of the model; values are not checked.
  virtual const float* features() const = 0;
  /// features() with empty cells (NaN) replaced by the values that a model has for them; null if there are none. Valid
  /// until the next call with other values. Throws RunError that names the first other feature that is not finite, or
  /// the first empty cell for which the model has no value. `fills` outlives the reader.
  virtual const float* filled_features(const EmptyCellFills& fills) = 0;
  /// [rows], for classification; null without targets.
  virtual const std::int64_t* labels() const = 0;
  /// [rows, outputs], for regression, without `target_offsets`, or of labels, 0 and 1; null without targets.
  virtual const float* targets() const = 0;
  /// [rows], at least 0; null without weights.
  virtual const float* weights() const = 0;

  /// The number of empty cells that were filled, and of cells for unknown_cells_note(), in all rows read.
  virtual std::int64_t empty_cells() const = 0;
  virtual std::int64_t unknown_cells() const = 0;
};

/// Properties of the model that readers of rows need.
struct ReaderOptions {
  Task task = Task::regression;
  std::int64_t outputs = 0;              ///< of the model, which labels or targets must fit
  std::vector<double> target_offsets{};  ///< subtracted from targets in double; empty: none
};

/// Copies rows, [rows, width], that begin with row `first_row` of the data, to `filled`, with their empty cells
/// replaced, except those that the model takes. Returns the number of replaced cells. Throws RunError, with `data`
/// ("'test.csv'"), if there is no value for one.
std::int64_t fill_rows(const float* features, std::int64_t rows, std::int64_t width, const EmptyCellFills& fills,
                       std::int64_t first_row, const std::string& data, AlignedVector<float>& filled);

/// The rows of a reader with their empty cells filled, for one model after another.
class FilledRows {
 public:
  /// Forgets the rows, because others were read.
  void clear();
  /// The rows as fill_rows() returns them; null if they have no empty cells. Computed once for the same `fills`.
  const float* of(const float* features, std::int64_t rows, std::int64_t width, const EmptyCellFills& fills,
                  std::int64_t first_row, const std::string& data);
  /// The number of empty cells in all rows; those of several models count once.
  std::int64_t empty_cells() const { return empty_cells_; }

 private:
  const EmptyCellFills* fills_ = nullptr;  // those of `filled_`; null: none yet
  std::int64_t empty_here_ = 0;            // in these rows
  std::int64_t empty_cells_ = 0;
  AlignedVector<float> filled_;
};

/// The targets of the rows.
struct TargetsInfo {
  std::string text;                 ///< names them in messages: "data set '/targets' of 'test.h5'"
  std::vector<std::int64_t> shape;  ///< [rows] or [rows, outputs]
  bool integers = false;
  bool texts = false;           ///< class names
  bool several_labels = false;  ///< several columns that are known to be labels

  std::int64_t columns() const { return shape.size() == 1 ? 1 : shape[1]; }
};

class EvaluatedRows {
 public:
  virtual ~EvaluatedRows() = default;

  virtual std::int64_t count() const = 0;
  /// The shape of one row: [channels, height, width] for images, otherwise as stored.
  virtual const std::vector<std::int64_t>& row_shape() const = 0;
  /// Null without targets.
  virtual const TargetsInfo* targets() const = 0;

  /// The columns of the features as the file describes them; empty without a description. The same on all ranks.
  virtual const std::vector<DataColumn>& columns() const = 0;

  /// Number of batches. A batch is a few rows, in the order of the file, that a core predicts at once.
  virtual std::int64_t batch_count() const = 0;
  /// The rows of a range of batches, which is not empty.
  virtual IndexRange rows_of(IndexRange batches) const = 0;

  /// The reader must not outlive this object.
  virtual std::unique_ptr<RowReader> make_reader(const ReaderOptions& options) const = 0;

  /// The offsets of regression targets, from the file or, for numbers that float does not represent, from their values
  /// (column_offset). Empty: none. Throws RunError if they cannot be read. Local.
  virtual std::vector<double> find_target_offsets() const = 0;

  /// Throws RunError if the file has changed since it was opened; rows read so far are then not reliable.
  virtual void require_unchanged() const = 0;

  /// The product of row_shape().
  std::int64_t feature_count() const;
};

/// Size of a batch: many rows, for large matrix products, that still fit into a core's second-level cache with the
/// other data in use. Copies into a larger buffer cost twice as much.
constexpr std::int64_t evaluated_batch_bytes = std::int64_t{256} << 10;

}  // namespace sheaf
