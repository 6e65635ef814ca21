// SPDX-License-Identifier: MIT
#include "engines/native/kernels/product_speed.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("the measured speed of the native engine's products is plausible") {
  const double flops = measure_native_flops();
  CHECK(flops > 1e7);
  CHECK(flops < 1e13);  // one core
}
