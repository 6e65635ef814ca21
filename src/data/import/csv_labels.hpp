// Converts the label column of a CSV file to targets for regression or classification.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/import/class_labels.hpp"
#include "study/data_options.hpp"

namespace sheaf {

/// Collects the labels of all rows, then chooses between regression and classification.
class LabelColumn {
 public:
  /// Adds the label of the next row: its text and, if that is a number, its value, which must be finite.
  void add(std::string_view text, std::optional<double> number);

  /// Texts and, without a task, integers as in looks_like_classes() mean classification, other numbers regression. For
  /// classes see code_integers(); texts are numbered in sorted order. With `known` class names, labels are coded by
  /// KnownClasses. Targets of a regression are float64. Throws RunError, with `description` ("column 2 ('y') of
  /// 'a.csv'").
  CodedTargets finish(std::optional<Task> task, const KnownNames& known, const std::string& description) const;

 private:
  std::vector<std::string> names() const;
  CodedTargets numbered() const;
  CodedTargets coded_like(const std::vector<std::string>& known, const std::string& description) const;
  CodedTargets of_texts(const std::vector<std::int64_t>& classes, std::vector<std::string> class_names) const;

  // texts_ and text_of_row_ are only filled while few_texts_, numbers_ only while all_numbers_, integers_ only while
  // all_integers_.
  std::unordered_map<std::string, std::int32_t> texts_;
  std::vector<std::int32_t> text_of_row_;
  std::vector<double> numbers_;
  std::vector<std::int64_t> integers_;
  std::string key_;
  bool few_texts_ = true;
  bool all_numbers_ = true;
  bool written_as_integers_ = true;
  bool all_integers_ = true;  // written as integers that fit into 64 bits
};

}  // namespace sheaf
