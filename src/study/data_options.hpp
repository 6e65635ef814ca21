// The section [data] of a study: where the rows come from, how they are scaled and split.
// `auto` and nullopt are replaced before a plan is made (commands/train/prepare/data_defaults), unless a comment
// states otherwise.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "study/auto_or.hpp"

namespace sheaf {

enum class DataSource { file, synthetic };
/// classification: one class per row; regression: numbers; multilabel: several labels, each of which a row has or not.
enum class Task { classification, regression, multilabel };
enum class Normalize { none, standard, minmax, robust };
enum class NormalizeTargets { none, standard };
enum class Distribution { normal, uniform };
enum class Relation { independent, linear };
enum class DataMode { memory, streamed };
enum class ChannelOrder { first, last };
enum class Draw { iteration, study };

/// The shape of a row as an image; all zero: not an image.
struct ImageShape {
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
};

struct DataOptions {
  DataSource source = DataSource::file;
  std::string file;                    ///< HDF5 file
  std::string validation_file;         ///< HDF5 file of the validation rows; empty: they are rows of `file`
  std::string test_file;               ///< HDF5 file of the test rows; empty: they are rows of `file`
  std::string features = "/features";  ///< data set [rows, ...]
  std::string targets = "/targets";    ///< data set [rows] or [rows, outputs]
  std::string weights;                 ///< data set [rows] of sample weights; empty: all weights are 1
  // At most one of these three names a data set; empty: none.
  std::optional<std::string> groups;  ///< [rows] numbers of groups
  std::optional<std::string> folds;   ///< [rows] fold of each row, 0..folds-1
  std::optional<std::string> time;    ///< [rows] numbers that increase with time, or `file_order`
  AutoOr<Task> task;
  std::int64_t classes = 0;  ///< number of classes; 0: that of the class names, or largest label + 1
  AutoOr<Normalize> normalize;
  AutoOr<NormalizeTargets> normalize_targets;  ///< regression
  std::optional<double> validation;            ///< fraction of the rows held out for validation; not with folds
  double test = 0;   ///< fraction of the rows on which only the best model is evaluated, at the end
  ImageShape image;  ///< shape of a row for convolutional networks; unset: the shape of the file's features
  /// Images in the file: N x C x H x W (first) or N x H x W x C (last). nullopt, auto: see data/row_layout; replaced
  /// when a run is opened.
  std::optional<ChannelOrder> channels;

  AutoOr<DataMode> mode;        ///< auto: see settle_study
  std::int64_t memory_mib = 0;  ///< memory per node for rows of a file; 0: half of the node's memory, streamed: 384
  std::int64_t window = 0;      ///< streamed: rows that are shuffled together; 0: chosen by plan_stream()
  std::int64_t read_ahead = 1;  ///< streamed: windows that are read while the models train on another one

  // synthetic source
  std::int64_t rows = 1000;
  std::int64_t columns = 10;
  std::int64_t outputs = 1;  ///< target columns of a synthetic regression
  Distribution distribution = Distribution::normal;
  Relation relation = Relation::independent;
  double noise = 0.1;  ///< standard deviation of the noise added to a linear relation
  Draw draw = Draw::iteration;
};

/// Whether other files than data.file have rows that are held out.
inline bool has_held_out_files(const DataOptions& options) {
  return !options.validation_file.empty() || !options.test_file.empty();
}

/// Whether rows are held out for validation, apart from those of folds.
inline bool has_validation_rows(const DataOptions& options) {
  return options.validation.value_or(0) > 0 || !options.validation_file.empty();
}

/// Whether the best model is evaluated on test rows.
inline bool has_test_rows(const DataOptions& options) {
  return options.test > 0 || !options.test_file.empty();
}

/// Whether the rows are in the order of time.
inline bool is_ordered(const DataOptions& options) {
  return options.time && !options.time->empty();
}

}  // namespace sheaf
