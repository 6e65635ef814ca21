// The result of an import: features and targets in the format that data/README.md documents.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/data_description.hpp"
#include "data/import/class_labels.hpp"
#include "files/hdf5/number_array.hpp"
#include "study/data_options.hpp"

namespace sheaf {

/// A column that identifies the rows.
struct IdColumn {
  std::string name;                ///< in the header; without a header, as it was requested
  std::vector<std::string> cells;  ///< [rows]
};

/// How targets are read.
struct TargetOptions {
  std::optional<Task> task;            ///< nullopt: see as_targets()
  KnownNames known_classes;            ///< see code_integers()
  std::string task_option = "--task";  ///< the option of `task`, for messages
};

/// Features and targets in memory.
struct ImportedData {
  NumberArray features;                  ///< [rows, ...]; stored rows (data/column_encoding) if there are
                                         ///< description.columns, otherwise the features themselves
  std::optional<NumberArray> targets;    ///< CodedTargets::array
  std::optional<ChannelOrder> channels;  ///< order of the channels if the format defines images; nullopt: unknown
  DataDescription description;           ///< without `source`
  std::optional<IdColumn> ids;           ///< if it was requested
  std::optional<NumberArray> groups;     ///< int64 [rows]
  std::optional<NumberArray> folds;      ///< int32 [rows], >= 0
  std::optional<NumberArray> times;      ///< float64 [rows]
  std::optional<NumberArray> weights;    ///< float32 [rows], >= 0
  std::vector<std::string> notes;        ///< decisions about the files, for the log

  /// Whether the targets are classes.
  bool has_classes() const { return targets && !is_real(targets->type) && !description.is_multilabel; }
  /// The largest class + 1; 0 without classes.
  std::int64_t classes() const;
  /// Takes targets and class names, and notes if another task was possible. `task_option`: see TargetOptions.
  void set_targets(CodedTargets coded, const std::string& task_option);
};

/// Converts an array to targets. Without a task, integers as in looks_like_classes() mean classification, everything
/// else regression; several columns of only 0 and 1 that are not one-hot mean several labels per row. The integers of a
/// regression become float32 if that represents all of them, otherwise float64, so that the
/// offsets of a run (data/stored_offsets) keep their digits. Throws RunError, with
/// `name`, if the array is not valid for the task.
CodedTargets as_targets(NumberArray array, const TargetOptions& options, const std::string& name);

/// Several columns of 0 and 1 as uint8; nullopt if there is another value.
std::optional<NumberArray> as_labels(const NumberArray& array);

/// A fingerprint of features and targets: shapes, types and values.
std::string content_hash(const ImportedData& data);

/// Throws RunError, with the file names, unless there are rows and features, the numbers of rows are equal, and all
/// values are finite in 32-bit floating point. NaN in features of tables is an empty cell.
void require_fit(const ImportedData& data, const std::string& features_name, const std::string& targets_name);

}  // namespace sheaf
