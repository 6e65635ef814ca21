// SPDX-License-Identifier: MIT
#include "core/quoted.hpp"

#include <utility>

#include "core/text.hpp"

namespace sheaf {

std::string quoted(const std::string& text) {
  constexpr std::size_t longest = 60;
  std::string shown = text.substr(0, longest);
  if (text.size() > longest) {
    // Do not cut a UTF-8 character in half: remove its continuation bytes, then its first byte.
    if ((static_cast<unsigned char>(text[longest]) & 0xc0) == 0x80) {
      while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0xc0) == 0x80) shown.pop_back();
      if (!shown.empty()) shown.pop_back();
    }
    shown += "...";
  }
  return "'" + printable(shown) + "'";
}

}  // namespace sheaf
