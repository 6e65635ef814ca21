// SPDX-License-Identifier: MIT
#include "core/random/range_draw.hpp"

#include <cmath>

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("positions on a range are linear or logarithmic") {
  CHECK(uniform_on(-2, 6, 0) == -2);
  CHECK(uniform_on(-2, 6, 0.25) == 0);
  CHECK(uniform_on(-1e308, 1e308, 0.75) == Approx(5e307));
  CHECK(log_uniform_on(1, 65536, 0.5) == Approx(256).epsilon(1e-14));
}

TEST_CASE("logarithmic positions equal those of the C library") {
  for (const double low : {1e-300, 1e-7, 0.3, 0.99, 1.0, 31.4})
    for (const double ratio : {1.0001, 1.9, 2.0, 1e3, 1e20})
      for (const double position : {0.0, 1e-9, 0.1, 0.5, 0.77, 0.999999}) {
        const double expected = std::exp(std::log(low) + position * std::log(ratio));
        CHECK(log_uniform_on(low, low * ratio, position) == Approx(expected).epsilon(2e-13));
      }
}

TEST_CASE("logarithmic positions have the same bits everywhere") {
  CHECK(log_uniform_on(1e-4, 1e-1, 0.3) == 0x1.a074ee52cd122p-11);
}
