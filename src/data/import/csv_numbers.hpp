// Numbers in CSV cells.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sheaf {

/// Parses a decimal number with optional sign and exponent. Returns nullopt if the text is not a number, and a value
/// that is not finite for NaN, infinity and numbers beyond the range of T (float or double).
template <class T>
std::optional<T> parse_number(std::string_view text);

extern template std::optional<float> parse_number(std::string_view);
extern template std::optional<double> parse_number(std::string_view);

/// Whether a cell in a column of numbers is empty or a usual word for a missing value: NA, N/A, NaN, null, None, ?.
bool is_missing(std::string_view text);

/// Parses the numbers of one file, with a decimal point or a decimal comma.
class CellNumbers {
 public:
  /// `decimal`: ',' or '.'; nullopt: a comma if the first cell with a point or a comma has a comma. That is only
  /// possible if fields are separated by semicolons; otherwise a point.
  CellNumbers(std::optional<char> decimal, char delimiter);

  /// As parse_number().
  template <class T>
  std::optional<T> parse(std::string_view text) {
    return decimal_ == '.' ? parse_number<T>(text) : parse_with_comma<T>(text);
  }

  /// Whether `decimal` was nullopt and a number with a decimal comma was found.
  bool found_comma() const { return found_comma_; }

 private:
  template <class T>
  std::optional<T> parse_with_comma(std::string_view text);

  std::optional<char> decimal_;
  bool found_comma_ = false;
  std::string with_point_;
};

extern template std::optional<float> CellNumbers::parse_with_comma(std::string_view);
extern template std::optional<double> CellNumbers::parse_with_comma(std::string_view);

}  // namespace sheaf
