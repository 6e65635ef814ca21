// How CSV files are read.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "data/data_description.hpp"
#include "data/import/csv_features.hpp"
#include "study/study.hpp"

namespace sheaf {

struct CsvOptions {
  char delimiter = 0;                     ///< 0: detect_delimiter() of the first record
  std::optional<char> decimal;            ///< '.' or ','; nullopt: see CellNumbers
  std::optional<bool> header;             ///< nullopt: has_header()
  std::optional<std::string> label;       ///< label columns: names or numbers, separated by commas; "none": no targets.
                                          ///< nullopt: the last column that is not left out; with `like`, its target
                                          ///< columns, if the file has them
  std::string drop;                       ///< columns to leave out, in the same format
  std::string categorical;                ///< columns to read as text, in the same format
  std::string id;                         ///< column that identifies the rows, in the same format; empty: none
  MissingCells missing;                   ///< empty cells of features
  std::optional<Task> task;               ///< nullopt: see LabelColumn; with several label columns, regression
  bool reads_targets = true;              ///< false: the label columns are left out
  const DataDescription* like = nullptr;  ///< columns and classes are coded as there; null: they are learned
  std::string like_name;                  ///< of `like`, for messages: "model 'm.pt'"
  bool numbers_only = false;              ///< without `like`: columns of texts and empty cells are errors
  bool ignore_unknown = false;            ///< with `like`: accepts texts that are not among the categories
};

}  // namespace sheaf
