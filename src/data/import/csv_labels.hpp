// Converts the label column of a CSV file to targets for regression or classification.
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

/// Parses a decimal number with optional sign and exponent. Returns nullopt if the text is not a number, and a value
/// that is not finite for NaN, infinity and numbers beyond the range of T (float or double).
template <class T>
std::optional<T> parse_number(std::string_view text);

extern template std::optional<float> parse_number(std::string_view);
extern template std::optional<double> parse_number(std::string_view);

/// Collects the labels of all rows, then chooses between regression and classification.
class LabelColumn {
 public:
  /// Adds the label of the next row. `text` must not be empty; if it is a number, it must be finite in 32-bit floating
  /// point.
  void add(std::string_view text);

  struct Targets {
    NumberArray array;
    std::vector<std::string> class_names;
  };
  /// Without a task, numbers with fractions mean regression, everything else classification. Integers from 0 to less
  /// than the number of rows are used as class labels directly. Other values are sorted and numbered, and class_names
  /// has the text of each class. Throws RunError, with `description` ("column 2 ('y') of 'a.csv'"), for more than 4000
  /// classes with names.
  Targets finish(std::optional<Task> task, const std::string& description) const;

 private:
  Targets numbered(const std::string& description) const;

  // texts_ and text_of_row_ are only filled while few_texts_, numbers_ only while all_numbers_.
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
