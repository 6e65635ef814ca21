// A data set in memory: rows of features with their targets. Its arrays are read-only, because all lanes and ranks of a
// node share them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/feature_fills.hpp"
#include "data/feature_kind.hpp"
#include "data/row_counts.hpp"
#include "data/row_marks.hpp"
#include "study/data_options.hpp"

namespace sheaf {

/// The arrays of a data set. `owner` keeps their memory alive; it is null if another object does so.
struct DataSet {
  std::int64_t rows = 0;
  std::int64_t validation_file_rows = 0, test_file_rows = 0;  ///< the last rows (RowCounts)
  std::int64_t feature_count = 0;                             ///< per row, flattened
  std::int64_t output_count = 0;  ///< classes (classification), labels (multilabel) or target columns (regression)
  Task task = Task::regression;
  ImageShape image;  ///< shape of a row, if rows are images
  /// [rows, feature_count], row-major, 64-byte aligned: numbers, which are finite except for NaN in empty cells
  /// (`fills`), and codes of categories (`kinds`); images have their channels first. Null for unsigned bytes.
  const float* features = nullptr;
  const std::uint8_t* byte_features = nullptr;  ///< same as `features`, for features of unsigned bytes; otherwise null
  const std::int64_t* labels = nullptr;         ///< [rows], each in 0..output_count-1; classification only
  const float* targets = nullptr;               ///< [rows, output_count], finite, or 0 and 1 of labels; otherwise null
  std::vector<double> target_offsets;           ///< [output_count], subtracted from `targets`; empty: none
  const float* weights = nullptr;               ///< [rows] weights of the rows' losses, finite, >= 0; null: all 1
  RowMarks marks;                               ///< groups, folds or times of the rows of data.file
  std::vector<std::string> class_names;         ///< [output_count] of classes or labels; empty: they are numbers
  std::vector<FeatureKind> kinds;               ///< [feature_count]; empty: all are numbers
  std::shared_ptr<const FeatureFills> fills;    ///< of tables; null: features have no empty cells
  std::string fingerprint;                      ///< of a file: names and shapes; otherwise the synthetic options
  std::shared_ptr<void> owner;

  RowCounts counts() const {
    return {rows - validation_file_rows - test_file_rows, validation_file_rows, test_file_rows};
  }
  bool has_empty_cells() const { return fills != nullptr && fills->has_empty_cells(); }
};

}  // namespace sheaf
