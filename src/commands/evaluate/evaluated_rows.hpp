// The rows of a file that a model is evaluated on, read by any number of lanes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/index_range.hpp"
#include "data/feature_reader.hpp"
#include "data/file_schema.hpp"
#include "files/hdf5/stored_rows.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Whether targets are read.
enum class TargetsWanted { if_there, no, yes };

/// An open file, its features and targets found fit for each other.
class EvaluatedRows {
 public:
  /// Throws RunError with one sentence on the first thing that is wrong. Local.
  EvaluatedRows(const DataOptions& options, TargetsWanted wanted);

  const FeatureReader& features() const { return *features_; }
  /// Null: there are none.
  const StoredRows* targets() const { return targets_.get(); }
  std::int64_t count() const { return schema_.rows; }
  std::int64_t feature_count() const { return schema_.feature_count; }
  /// Of one row: an image, [channels, height, width], or as stored.
  const std::vector<std::int64_t>& row_shape() const { return row_shape_; }

  /// The rows in pieces that a core takes at one go: whole blocks, in the order of the rows.
  std::int64_t piece_count() const;
  /// Of some pieces, at least one.
  IndexRange rows_of(IndexRange pieces) const;

  /// Throws RunError when the file is not as it was: what was read of it is not to be believed then.
  void require_unchanged() const;

 private:
  FileSchema schema_;
  std::vector<std::int64_t> row_shape_;
  std::unique_ptr<FeatureReader> features_;
  std::unique_ptr<StoredRows> targets_;
  std::int64_t blocks_of_piece_ = 1;
};

/// A lane's own view of the rows. Not shared between threads.
class RowReader {
 public:
  /// `rows` outlives it. `outputs`: of the model that labels or targets must fit.
  RowReader(const EvaluatedRows& rows, Task task, std::int64_t outputs);

  /// Takes the next rows. Throws RunError that names what cannot be read, and a target that is not finite or a label
  /// that is none.
  void read(IndexRange rows);

  /// Finite or not.
  const float* features() const { return features_; }
  /// Throws RunError that names the first feature at hand that is not finite.
  void require_finite_features() const;
  /// Of classification; null without targets.
  const std::int64_t* labels() const;
  /// Of regression, [rows, outputs]; null without targets.
  const float* targets() const;

 private:
  template <class T>
  void read_window(std::vector<T>& values);
  void check_labels(const std::vector<double>& numbers);

  const EvaluatedRows& rows_;
  Task task_;
  std::int64_t outputs_;
  const float* features_ = nullptr;
  FeatureReader::Buffers feature_buffers_;
  RowBuffers target_buffers_;
  IndexRange here_, window_;  // the rows at hand; those whose targets are in memory
  std::vector<std::int64_t> labels_;
  std::vector<float> targets_;
};

}  // namespace sheaf
