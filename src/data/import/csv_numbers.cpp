// SPDX-License-Identifier: MIT
#include "data/import/csv_numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>

namespace sheaf {

template <class T>
std::optional<T> parse_number(std::string_view text) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  T value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) return std::nullopt;
  if (error == std::errc::result_out_of_range)  // strtod returns infinity if too large, 0 or a subnormal if too small
    value = static_cast<T>(std::strtod(std::string(text).c_str(), nullptr));
  return value;
}

template std::optional<float> parse_number(std::string_view);
template std::optional<double> parse_number(std::string_view);

bool is_missing(std::string_view text) {
  constexpr std::string_view words[] = {"", "NA", "N/A", "n/a", "NaN", "nan", "NAN", "null", "NULL", "None", "?"};
  return std::find(std::begin(words), std::end(words), text) != std::end(words);
}

CellNumbers::CellNumbers(std::optional<char> decimal, char delimiter) : decimal_(decimal) {
  if (!decimal_ && delimiter != ';') decimal_ = '.';
}

template <class T>
std::optional<T> CellNumbers::parse_with_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  const bool has_point = text.find('.') != std::string_view::npos;
  if (comma == std::string_view::npos) {
    if (has_point && decimal_ == ',') return std::nullopt;  // may separate thousands
    const auto number = parse_number<T>(text);
    if (number && has_point) decimal_ = '.';
    return number;
  }
  if (has_point) return std::nullopt;
  with_point_.assign(text);
  with_point_[comma] = '.';
  const auto number = parse_number<T>(with_point_);
  if (number && !decimal_) {
    decimal_ = ',';
    found_comma_ = true;
  }
  return number;
}

template std::optional<float> CellNumbers::parse_with_comma(std::string_view);
template std::optional<double> CellNumbers::parse_with_comma(std::string_view);

}  // namespace sheaf
