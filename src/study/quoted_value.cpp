// SPDX-License-Identifier: MIT
#include "study/quoted_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace sheaf {
namespace {

constexpr std::string_view escaped_letters = "\"\\\t\n\r", escape_names = "\"\\tnr";

bool is_control(char letter) {
  const auto code = static_cast<unsigned char>(letter);
  return code < 0x20 || code == 0x7f;
}

// The position behind the quotes that begin at `begin`, or npos if they are not closed.
std::size_t end_of_quotes(std::string_view text, std::size_t begin) {
  for (std::size_t next = begin + 1; next < text.size(); ++next) {
    if (text[next] == '"') return next + 1;
    if (text[next] == '\\') ++next;
  }
  return text.npos;
}

// The character that an escape means; `next` is behind the backslash and is moved behind the escape.
std::optional<char> read_escape(std::string_view text, std::size_t& next) {
  const char name = text[next++];
  if (const std::size_t known = escape_names.find(name); known != escape_names.npos) return escaped_letters[known];
  if (name != 'x' || next + 2 > text.size()) return std::nullopt;
  unsigned code = 0;
  const char* end = text.data() + next + 2;
  const auto [stop, error] = std::from_chars(text.data() + next, end, code, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  next += 2;
  return static_cast<char>(code);
}

}  // namespace

std::string quoted_value(const std::string& text) {
  if (text.empty()) return text;
  const bool is_plain = text.front() != ' ' && text.front() != '"' && text.back() != ' ' &&
                        text.find_first_of("#,") == text.npos && std::none_of(text.begin(), text.end(), is_control);
  if (is_plain) return text;
  std::string value = "\"";
  for (const char letter : text) {
    if (const std::size_t known = escaped_letters.find(letter); known != escaped_letters.npos)
      value += {'\\', escape_names[known]};
    else if (is_control(letter))
      value += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(letter)));
    else
      value += letter;
  }
  return value + '"';
}

std::optional<std::string> unquoted_value(const std::string& value) {
  if (value.find('\0') != value.npos) return std::nullopt;
  if (value.empty() || value.front() != '"') return value;
  if (end_of_quotes(value, 0) != value.size()) return std::nullopt;
  std::string text;
  for (std::size_t next = 1; next + 1 < value.size();) {
    const char letter = value[next++];
    const auto meant = letter == '\\' ? read_escape(value, next) : letter;
    if (!meant || *meant == '\0') return std::nullopt;
    text += *meant;
  }
  return text;
}

std::optional<std::vector<std::size_t>> positions_outside_quotes(const std::string& text, char letter) {
  std::vector<std::size_t> positions;
  bool may_open = true;
  for (std::size_t next = 0; next < text.size(); ++next) {
    if (text[next] == '"' && may_open) {
      const std::size_t end = end_of_quotes(text, next);
      if (end == text.npos) return std::nullopt;
      next = end - 1;
      may_open = false;
      continue;
    }
    if (text[next] == letter) positions.push_back(next);
    const bool is_space = text[next] == ' ' || text[next] == '\t';
    may_open = text[next] == '=' || text[next] == ',' || text[next] == ':' || (may_open && is_space);
  }
  return positions;
}

}  // namespace sheaf
