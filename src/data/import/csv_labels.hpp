// The label column of a CSV file: whether its texts are numbers or class names, and the targets made of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "files/hdf5/number_array.hpp"
#include "study/study.hpp"

namespace sheaf {

/// A number as CSV writes it: decimal, an exponent, a sign. Not finite: NaN, infinite, or beyond the range of T, which
/// is float or double. None: the text is not a number.
template <class T>
std::optional<T> parse_number(std::string_view text);

extern template std::optional<float> parse_number(std::string_view);
extern template std::optional<double> parse_number(std::string_view);

/// Collects the labels of all rows, then chooses between regression and classification.
class LabelColumn {
 public:
  /// `text` is not empty; if it is a number, it is finite in 32-bit floating point.
  void add(std::string_view text);

  struct Targets {
    NumberArray array;
    std::vector<std::string> class_names;
  };
  /// Without a task, numbers that are not all integers make regression; all else is classification. Integers from 0
  /// to less than the number of rows are the classes themselves; other numbers and texts are numbered in sorted order,
  /// and class_names has them by number. Throws RunError naming `description` ("column 2 ('y') of 'a.csv'") when there
  /// are more than 4000 to be numbered.
  Targets finish(std::optional<Task> task, const std::string& description) const;

 private:
  Targets numbered(const std::string& description) const;

  // Distinct texts are stored while there are few of them; numbers, while all texts are numbers.
  std::unordered_map<std::string, std::int32_t> texts_;
  std::vector<std::int32_t> text_of_row_;
  std::vector<double> numbers_;
  std::string key_;
  std::size_t rows_ = 0;
  bool few_texts_ = true;
  bool all_numbers_ = true;
  bool all_integers_ = true;
};

}  // namespace sheaf
