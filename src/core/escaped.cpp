// SPDX-License-Identifier: MIT
#include "core/escaped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "core/text.hpp"

namespace sheaf {
namespace {

// The length of the longest beginning of at most four bytes that is one printable character; otherwise 1.
std::size_t leading_character(std::string_view text) {
  constexpr std::size_t longest = 4;
  const auto is_continuation = [&](std::size_t place) {
    return (static_cast<unsigned char>(text[place]) & 0xc0) == 0x80;
  };
  std::size_t bytes = 1;
  while (bytes < std::min(text.size(), longest) && is_continuation(bytes)) ++bytes;
  return printable(text.substr(0, bytes)) == text.substr(0, bytes) ? bytes : 1;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t bytes = leading_character(text);
    const std::string_view character = text.substr(0, bytes);
    if (character == "\\")
      shown += "\\\\";
    else if (printable(character) == character)
      shown += character;
    else
      for (const char byte : character)
        shown += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    text.remove_prefix(bytes);
  }
  return shown;
}

std::string shell_word(const std::string& text) {
  const auto is_plain = [](char letter) {
    const auto code = static_cast<unsigned char>(letter);
    return std::isalnum(code) != 0 || code >= 0x80 || std::strchr("_@%+=:,./-", letter) != nullptr;
  };
  if (printable(text) != text) {
    std::string word = "$'";
    for (const char letter : escaped(text)) word += letter == '\'' ? "\\'" : std::string(1, letter);
    return word + "'";
  }
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string word = "'";
  for (const char letter : text) word += letter == '\'' ? "'\\''" : std::string(1, letter);
  return word + "'";
}

}  // namespace sheaf
