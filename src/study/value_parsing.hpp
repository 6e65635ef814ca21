// Parsing that the types of setting values share. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "core/text.hpp"

namespace sheaf {

/// The complete text as a number, independent of the locale. Leading spaces and a plus sign are not allowed.
template <class Number>
std::optional<Number> whole_number(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

/// `keyword` has lower-case letters.
inline bool is_keyword(const std::string& text, const std::string& keyword) {
  return lower_case(text) == keyword;
}

inline std::optional<std::int64_t> integer_between(const std::string& text, std::int64_t least, std::int64_t most) {
  const auto value = whole_number<std::int64_t>(text);
  return value && *value >= least && *value <= most ? value : std::nullopt;
}

/// Without spaces at its ends.
inline std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// The words between commas and white space.
inline std::vector<std::string> words_of_list(std::string text) {
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

}  // namespace sheaf
