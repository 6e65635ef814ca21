// How CSV files are read.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "data/data_description.hpp"
#include "data/import/class_labels.hpp"
#include "data/import/csv_features.hpp"
#include "data/import/csv_numbers.hpp"
#include "study/data_options.hpp"

namespace sheaf {

struct CsvOptions {
  char delimiter = 0;                     ///< 0: detect_delimiter()
  std::optional<char> decimal;            ///< '.' or ','; nullopt: see decide_decimal()
  std::optional<bool> header;             ///< nullopt: find_start()
  std::optional<std::string> label;       ///< label columns: names or numbers, separated by commas; "none": no targets.
                                          ///< nullopt: the last column that is not left out; with `like`, its target
                                          ///< columns, if the file has them
  std::string drop;                       ///< columns to leave out, in the same format
  std::string keep;                       ///< columns that stay even if they have dates or identifiers, in this format
  std::string categorical;                ///< columns to read as text, in the same format
  std::string id;                         ///< column that identifies the rows, in the same format; empty: none
  std::string groups;                     ///< column with the group of each row; empty: none
  std::string folds;                      ///< column with the fold of each row; empty: none
  std::string time;                       ///< column with the time of each row; empty: none
  std::string weights;                    ///< column with the weight of each row; empty: none
  EmptyCells empty;                       ///< the texts that mean an empty cell
  MissingCells missing;                   ///< the treatment of empty cells of features
  std::optional<Task> task;               ///< nullopt: see LabelColumn; of several columns, multilabel if
                                          ///< they are 0 and 1 and not one-hot, otherwise regression
  std::string task_option = "--task";     ///< the option of `task`, for messages
  bool reads_targets = true;              ///< false: the label columns are left out
  const DataDescription* like = nullptr;  ///< columns and classes are coded, and cells are read as there, unless
                                          ///< `decimal` and `empty` are set; null: all of this is learned
  std::string like_name;                  ///< of `like`, for messages: "model 'm.pt'"
  bool numbers_only = false;              ///< without `like`: texts and empty cells are errors, and labels are class
                                          ///< numbers, which are not changed
  bool refuses_unknown = false;           ///< with `like`: texts that are not among the categories are errors

  /// The class names that labels are coded by.
  KnownNames known_classes() const {
    if (like != nullptr) return like->class_names;
    return numbers_only ? KnownNames(std::in_place) : std::nullopt;
  }
};

}  // namespace sheaf
