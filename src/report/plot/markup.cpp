// SPDX-License-Identifier: MIT
#include "report/plot/markup.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace sheaf {

std::string escaped_markup(std::string_view text) {
  std::string escaped;
  for (const char character : printable(text)) switch (character) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += character;
    }
  return escaped;
}

std::string escaped_lines(std::string_view text) {
  std::string escaped;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    escaped += (begin > 0 ? "\n" : "") + escaped_markup(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return escaped;
}

std::string shortened(const std::string& text, std::size_t length) {
  const auto begins_character = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; };
  std::size_t characters = 0, cut = 0;  // `cut`: the byte at which the last character that may stay ends
  for (std::size_t byte = 0; byte < text.size(); ++byte) {
    if (!begins_character(text[byte])) continue;
    if (++characters == length) cut = byte;
    if (characters > length) return text.substr(0, cut) + "…";
  }
  return text;
}

}  // namespace sheaf
