// Conversion of numbers in files from either byte order.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace sheaf {

inline bool machine_is_big_endian() {
  const std::uint16_t one = 1;
  unsigned char first = 0;
  std::memcpy(&first, &one, 1);
  return first == 0;
}

/// Converts numbers of `number_bytes` each to native byte order, in place.
inline void to_machine_order(std::vector<std::byte>& bytes, std::size_t number_bytes, bool big_endian) {
  if (number_bytes == 1 || big_endian == machine_is_big_endian()) return;
  for (auto number = bytes.begin(); number != bytes.end(); number += static_cast<std::ptrdiff_t>(number_bytes))
    std::reverse(number, number + static_cast<std::ptrdiff_t>(number_bytes));
}

/// Returns the unsigned integer stored in `count` bytes, least significant byte first unless `big_endian`.
inline std::uint64_t read_unsigned(const void* bytes, std::size_t count, bool big_endian) {
  const auto* digits = static_cast<const unsigned char*>(bytes);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | digits[big_endian ? i : count - 1 - i];
  return value;
}

/// Appends `value` in `count` bytes, least significant byte first.
inline void append_unsigned(std::string& bytes, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(value >> 8 * i & 0xff);
}

}  // namespace sheaf
