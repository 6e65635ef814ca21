// Journal lines as JSON objects with a checksum, for the files that write and read them.
// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf {

using Json = nlohmann::json;

/// Converts the text of an object, which begins at `begin`, to a line: replaces the closing brace by the checksum.
void close_line(std::string& text, std::size_t begin, std::uint32_t seed);
/// The line of the text of an object.
std::string closed_line(std::string text, std::uint32_t seed);

/// The text of a line before its checksum; nothing if the checksum is wrong.
std::optional<std::string_view> verified_text(const std::string& line, std::uint32_t seed);

/// `text` as a JSON string.
std::string quoted_text(const std::string& text);

/// Appends a number without a temporary string. Inline, since a result line has many numbers.
inline void append_integer(std::string& text, std::int64_t value) {
  const fmt::format_int digits(value);
  text.append(digits.data(), digits.size());
}
/// Appends numbers and the bracket after them. `text` ends in the bracket before them.
void append_integers(std::string& text, const std::vector<std::int64_t>& numbers);

/// Throws std::invalid_argument unless the value is an integer of this type.
template <class Integer>
Integer integer_of(const Json& value) {
  const bool fits =
      value.is_number_unsigned()
          ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<Integer>::max())
          : value.is_number_integer() && value.get<std::int64_t>() >= std::int64_t{std::numeric_limits<Integer>::min()};
  if (!fits) throw std::invalid_argument("no such integer");
  return value.get<Integer>();
}

/// Appends the integers of a list. Throws as integer_of().
void read_integers(const Json& list, std::vector<std::int64_t>& numbers);

/// What `read` makes of the object of a line: an optional. Nothing if the checksum is wrong, or if it throws because
/// the object is another one.
template <class Read>
auto read_object(const std::string& line, std::uint32_t seed, const Read& read) -> decltype(read(Json())) try {
  if (!verified_text(line, seed)) return std::nullopt;
  return read(Json::parse(line));
} catch (const std::bad_alloc&) {
  throw;
} catch (const std::exception&) {
  return std::nullopt;
}

}  // namespace sheaf
