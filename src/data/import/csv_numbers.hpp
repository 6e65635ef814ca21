// Numbers in CSV cells: as programs write them, and as people and spreadsheets do.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/data_description.hpp"

namespace sheaf {

/// Parses a decimal number with optional sign and exponent. Returns nullopt if the text is not a number, and a value
/// that is not finite for NaN, infinity and numbers beyond the range of T (float or double).
template <class T>
std::optional<T> parse_number(std::string_view text);

extern template std::optional<float> parse_number(std::string_view);
extern template std::optional<double> parse_number(std::string_view);

/// The texts that mean an empty cell.
class EmptyCells {
 public:
  /// Adds texts to the usual ones.
  void add(std::vector<std::string> more);
  /// false: only the texts of add() and the empty text.
  void use_default(bool usual) { usual_ = usual; }
  /// Takes what has not been set by add() and use_default() from `known`.
  void complete(const CellReading& known);
  CellReading reading() const { return {std::nullopt, more_, uses_default()}; }

  /// In every column: nothing, NA, N/A, NaN, null, None, ?, #N/A, <NA> and the error values of spreadsheets.
  bool is_empty(std::string_view text) const;
  /// In a column of numbers, also: a point, dashes, *, missing, unknown and similar words.
  bool is_empty_number(std::string_view text) const;
  /// Whether a number may mean an empty cell, such as -999.
  bool has_numbers() const { return !more_.empty(); }
  /// Whether a number means an empty cell: -999.0, if -999 does.
  bool is_empty_value(double value) const {
    return std::find(numbers_.begin(), numbers_.end(), value) != numbers_.end();
  }
  /// The texts of add().
  const std::vector<std::string>& added() const { return more_; }

 private:
  bool uses_default() const { return usual_.value_or(true); }

  std::vector<std::string> more_;
  std::vector<double> numbers_;  // those of more_
  std::optional<bool> usual_;    // nullopt: not set
};

/// How the numbers of a column are written.
struct NumberForm {
  char decimal = '.';  ///< '.' or ','
  char grouping =
      0;  ///< between groups of three digits: ',', '.' or ' ', which is also a narrow space or an apostrophe
  bool percent = false;      ///< 2.5%, which is 2.5
  std::string currency;      ///< "$", "EUR", before or after the number; empty: none
  bool parentheses = false;  ///< (2.50) is -2.5

  bool is_plain() const { return decimal == '.' && !is_decorated(); }
  bool is_decorated() const { return grouping != 0 || percent || parentheses || !currency.empty(); }
};

bool operator==(const NumberForm& a, const NumberForm& b);

/// Parses a number of this form. Returns nullopt for other text.
std::optional<double> parse_decorated(std::string_view text, const NumberForm& form);

inline std::optional<double> parse_cell(std::string_view text, const NumberForm& form) {
  return form.is_plain() ? parse_number<double>(text) : parse_decorated(text, form);
}

/// The forms that all numbers of a column have in common. Pure.
class CommonForm {
 public:
  /// Returns whether the text is a number in any form. Others are not counted.
  bool add(std::string_view text);
  bool is_empty() const { return count_ == 0; }
  /// ',' or '.' if only this can be the decimal mark; otherwise nothing.
  std::optional<char> decimal() const;
  /// Whether `mark` occurs in numbers of which the decimal mark may be a point or a comma: 1.234 or 1,234.
  bool is_ambiguous(char mark) const;
  /// The form, with this decimal mark. nullopt: the numbers have no such form in common.
  std::optional<NumberForm> form(char decimal) const;
  /// The form, with this decimal mark if it is known, that most of the numbers have.
  NumberForm likely_form(std::optional<char> decimal) const;
  /// Whether all numbers are in parentheses, such as codes.
  bool are_in_parentheses() const { return count_ > 0 && parentheses_ == count_; }

 private:
  static constexpr std::size_t form_count = 6;
  void count(unsigned forms, std::string_view text);

  unsigned forms_ = ~0U;
  std::array<std::int64_t, form_count> counts_{};  // of the numbers that have each form
  bool has_point_ = false;
  bool has_comma_ = false;
  std::int64_t count_ = 0;
  std::int64_t parentheses_ = 0;
  std::int64_t percents_ = 0;
  std::int64_t currencies_ = 0;
  std::string currency_;
  bool one_currency_ = true;
};

/// Whether a text looks like a number with something around it, such as "<1.0", "12 kg" or "5-7".
bool resembles_number(std::string_view text);

/// Whether a text is a date, a time or both in a usual form, such as 2019-03-01, 1.3.2019, 3/1/19 10:30.
bool is_date(std::string_view text);

/// Whether a text is a whole number with leading zeros, such as 007: usually a code.
bool has_leading_zeros(std::string_view text);

/// The number by which a class or a category is the same in another spelling: 1 and 1.0, but not 01. Nothing for other
/// texts and for numbers from 2^53 on.
std::optional<double> number_of_code(std::string_view text);

}  // namespace sheaf
