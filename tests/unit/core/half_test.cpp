// SPDX-License-Identifier: MIT
#include "core/half.hpp"

#include <cmath>
#include <limits>

#include "support/catch.hpp"

using sheaf::Half;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double value_of(int bits) {
  Half half;
  half.bits = static_cast<std::uint16_t>(bits);
  return double{static_cast<float>(half)};
}

}  // namespace

TEST_CASE("float16 values convert to their IEEE 754 values and back") {
  bool decoded = true, encoded = true;
  for (int bits = 0; bits < 0x7c00; ++bits) {
    const int exponent = bits >> 10, fraction = bits & 1023;
    const double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    decoded &= value_of(bits) == value && value_of(bits | 0x8000) == -value;
    encoded &= Half(value).bits == bits && Half(-value).bits == (bits | 0x8000);
  }
  CHECK(decoded);
  CHECK(encoded);
  CHECK(value_of(0x7c00) == infinity);
  CHECK(value_of(0xfc00) == -infinity);
  CHECK(std::isnan(value_of(0x7e00)));
  CHECK(std::isnan(value_of(0x7c01)));
}

TEST_CASE("conversion to float16 rounds to nearest, ties to even") {
  bool nearest = true;
  for (int bits = 0; bits < 0x7bff; ++bits) {
    const double middle = (value_of(bits) + value_of(bits + 1)) / 2;
    nearest &= Half(middle).bits == bits + (bits & 1);
    nearest &= Half(std::nextafter(middle, 0.0)).bits == bits;
    nearest &= Half(std::nextafter(middle, infinity)).bits == bits + 1;
    nearest &= Half(-std::nextafter(middle, infinity)).bits == ((bits + 1) | 0x8000);
  }
  CHECK(nearest);
  CHECK(Half(std::numeric_limits<double>::denorm_min()).bits == 0);
}

TEST_CASE("conversion to float16 maps values out of range to infinity and keeps NaN") {
  CHECK(Half(std::nextafter(65520.0, 0.0)).bits == 0x7bff);
  CHECK(Half(65520).bits == 0x7c00);
  CHECK(Half(-1e300).bits == 0xfc00);
  CHECK(Half(infinity).bits == 0x7c00);
  CHECK(Half(std::nan("")).bits == 0x7e00);
}
