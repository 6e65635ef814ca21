// IEEE 754 binary16 (NumPy's float16), for values in files. Compute in wider types. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace sheaf {

struct Half {
  std::uint16_t bits;

  Half() = default;  // uninitialized, like the built-in types
  /// Rounds to nearest, ties to even. Values of 65520 and above become infinite.
  explicit Half(double value);
  operator float() const;

 private:
  template <class To, class From>
  static To reinterpret_bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
  }
};

static_assert(sizeof(Half) == 2);

inline Half::Half(double value) {
  constexpr std::uint64_t infinite = 0x7c00, not_a_number = 0x7e00;
  constexpr int spare = 52 - 10;  // bits of the fraction
  const auto value_bits = reinterpret_bits<std::uint64_t>(value);
  const std::uint64_t magnitude = value_bits & ~(std::uint64_t{1} << 63);
  const std::uint64_t rounded = magnitude + (std::uint64_t{1} << (spare - 1)) - 1 + (magnitude >> spare & 1);
  const std::uint64_t normal = std::min((rounded >> spare) - (std::uint64_t{1023 - 15} << 10), infinite);
  // The last bit of the sum is worth 2^-24, the smallest denormal.
  const auto denormal = reinterpret_bits<std::uint64_t>(reinterpret_bits<double>(magnitude) + 0x1p28) & 0xffff;
  const bool is_normal = magnitude >= reinterpret_bits<std::uint64_t>(0x1p-14);
  const bool is_number = magnitude <= std::uint64_t{0x7ff} << 52;
  const std::uint64_t unsigned_bits = is_number ? is_normal ? normal : denormal : not_a_number;
  bits = static_cast<std::uint16_t>(unsigned_bits | (value_bits >> 48 & 0x8000));
}

// The product with 2^112 corrects the exponent's bias and normalizes denormals.
inline Half::operator float() const {
  const std::uint32_t magnitude = bits & 0x7fffu;
  const float value = reinterpret_bits<float>(magnitude << 13) * 0x1p112f;
  const std::uint32_t special = magnitude >= 0x7c00u ? 0x7f800000u : 0;  // infinity or NaN
  return reinterpret_bits<float>(reinterpret_bits<std::uint32_t>(value) | special | (bits & 0x8000u) << 16);
}

}  // namespace sheaf
