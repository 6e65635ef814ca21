// Predictions as CSV: a header and one line per row. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/index_range.hpp"
#include "data/import/imported_data.hpp"
#include "study/data_options.hpp"

namespace sheaf {

/// What predictions contain, in a file of any format.
struct PredictionContents {
  std::int64_t rows = 0;
  std::int64_t outputs = 0;
  Task task = Task::regression;
  std::vector<std::string> class_names;   ///< [outputs] of classes or labels, or empty: they are numbers
  std::vector<std::string> target_names;  ///< [outputs], or empty
  std::vector<double> offsets;            ///< [outputs], added to values in double; empty: none
  std::optional<IdColumn> ids;            ///< the first column, if there is one; on rank 0
  std::string model;                      ///< model file or run directory
  std::string data;                       ///< file of the rows

  /// Of predict_labels(), for each row: one of classes, `outputs` of labels, none of a regression.
  std::int64_t labels_per_row() const {
    return task == Task::regression ? 0 : task == Task::classification ? 1 : outputs;
  }
};

/// Throws RunError if the column of the ids has the name of another column.
void require_other_id_name(const PredictionContents& contents);

/// "id,prediction,probability_cat,probability_dog\n"; with several labels per row, "id,cat,dog,probability_cat,
/// probability_dog\n", or "prediction_0" without names; for values "id,prediction\n" or, with several outputs, the
/// names of the targets.
std::string prediction_csv_header(const PredictionContents& contents);

/// The lines of some rows. `values`: probabilities or values [rows.count(), outputs], with offsets; `labels`:
/// [rows.count(), labels_per_row()]. Numbers have enough digits to read back the same value. `Value` is float or
/// double.
template <class Value>
std::string prediction_csv_lines(const PredictionContents& contents, IndexRange rows, const Value* values,
                                 const std::int64_t* labels);

extern template std::string prediction_csv_lines(const PredictionContents&, IndexRange, const float*,
                                                 const std::int64_t*);
extern template std::string prediction_csv_lines(const PredictionContents&, IndexRange, const double*,
                                                 const std::int64_t*);

}  // namespace sheaf
