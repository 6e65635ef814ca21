// The rows of a file on which a model is evaluated, read by any number of lanes.
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

/// Whether targets are read; if_present: if the file has them.
enum class TargetsMode { if_present, no, yes };

/// An open file whose features and targets were checked against each other.
class EvaluatedRows {
 public:
  /// Throws RunError for the first problem. Local.
  EvaluatedRows(const DataOptions& options, TargetsMode mode);

  const FeatureReader& features() const { return *features_; }
  /// Null without targets.
  const StoredRows* targets() const { return targets_.get(); }
  std::int64_t count() const { return schema_.rows; }
  std::int64_t feature_count() const { return schema_.feature_count; }
  /// The shape of one row: [channels, height, width] for images, otherwise as stored.
  const std::vector<std::int64_t>& row_shape() const { return row_shape_; }

  /// Number of batches. A batch is a few whole blocks, in row order, that a core predicts at once.
  std::int64_t batch_count() const;
  /// The rows of a range of batches, which is not empty.
  IndexRange rows_of(IndexRange batches) const;

  /// Throws RunError if the file has changed since it was opened; rows read so far are then not reliable.
  void require_unchanged() const;

 private:
  FileSchema schema_;
  std::vector<std::int64_t> row_shape_;
  std::unique_ptr<FeatureReader> features_;
  std::unique_ptr<StoredRows> targets_;
  std::int64_t blocks_per_batch_ = 1;
};

/// Reads rows for one lane. Not thread-safe.
class RowReader {
 public:
  /// `rows` outlives it. `outputs`: number of model outputs, which labels or targets must fit.
  RowReader(const EvaluatedRows& rows, Task task, std::int64_t outputs);

  /// Reads rows, which the functions below return. Throws RunError if they cannot be read, a target is not finite or a
  /// label is not valid.
  void read(IndexRange rows);

  /// [rows, features]; values are not checked.
  const float* features() const { return features_; }
  /// Throws RunError that names the first feature of these rows that is not finite.
  void require_finite_features() const;
  /// [rows], for classification; null without targets.
  const std::int64_t* labels() const;
  /// [rows, outputs], for regression; null without targets.
  const float* targets() const;

 private:
  template <class T>
  void read_targets(std::vector<T>& values);
  void check_labels(const std::vector<double>& numbers);

  const EvaluatedRows& rows_;
  Task task_;
  std::int64_t outputs_;
  const float* features_ = nullptr;
  FeatureReader::Buffers feature_buffers_;
  RowBuffers target_buffers_;
  IndexRange rows_read_;    // by the last read()
  IndexRange target_rows_;  // whose targets are in memory
  std::vector<std::int64_t> labels_;
  std::vector<float> targets_;
};

}  // namespace sheaf
