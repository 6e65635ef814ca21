// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/error.hpp"

namespace sheaf {

/// A short string in a fixed array, which can be sent between ranks as bytes. Unused bytes are zero, so equal strings
/// have equal bytes.
class ShortText {
 public:
  static constexpr std::size_t max_bytes = 16;

  ShortText() = default;
  /// Throws RunError if the text is longer than `max_bytes`.
  ShortText(std::string_view text) {
    require(text.size() <= max_bytes, "a name is too long (the limit is 16 bytes). Choose a shorter name.");
    text.copy(bytes_.data(), text.size());
  }
  ShortText(const char* text) : ShortText(std::string_view(text)) {}

  std::string_view view() const {
    const std::string_view all(bytes_.data(), max_bytes);
    return all.substr(0, all.find('\0'));
  }

  friend bool operator==(const ShortText& one, const ShortText& other) { return one.bytes_ == other.bytes_; }
  friend bool operator!=(const ShortText& one, const ShortText& other) { return !(one == other); }

 private:
  std::array<char, max_bytes> bytes_{};
};

}  // namespace sheaf
