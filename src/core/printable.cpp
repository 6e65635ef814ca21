// SPDX-License-Identifier: MIT
#include "core/printable.hpp"

#include <algorithm>

namespace sheaf {
namespace {

// `character` is a UTF-8 character; control characters have one or two bytes.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  return first < 0x20 || first == 0x7f || (first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0);
}

}  // namespace

std::size_t character_bytes(std::string_view text) {
  const auto byte = [text](std::size_t index) {
    return index < text.size() ? static_cast<unsigned char>(text[index]) : 0;
  };
  const auto follows = [byte](std::size_t index, int low, int high) {
    return byte(index) >= low && byte(index) <= high;
  };
  const int first = byte(0);
  if (first < 0x80) return text.empty() ? 0 : 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1, 0x80, 0xbf) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool second = follows(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
    return second && follows(2, 0x80, 0xbf) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool second = follows(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf);
    return second && follows(2, 0x80, 0xbf) && follows(3, 0x80, 0xbf) ? 4 : 0;
  }
  return 0;
}

std::size_t make_printable(char* text, std::size_t size, std::string_view allowed) {
  std::string_view rest(text, size);
  char* end = text;
  while (!rest.empty()) {
    const std::size_t bytes = character_bytes(rest);
    const std::string_view character = rest.substr(0, std::max<std::size_t>(bytes, 1));
    if (bytes == 0 || (is_control(character) && allowed.find(character) == allowed.npos))
      *end++ = '?';
    else
      end = std::copy(character.begin(), character.end(), end);
    rest.remove_prefix(character.size());
  }
  return static_cast<std::size_t>(end - text);
}

std::string printable_lines(std::string text) {
  text.resize(make_printable(text.data(), text.size(), "\n"));
  return text;
}

}  // namespace sheaf
