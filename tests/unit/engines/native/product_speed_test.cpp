// SPDX-License-Identifier: MIT
#include "engines/native/product_speed.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("the native engine's products run at a speed that computers have") {
  const double flops = measure_native_flops();
  CHECK(flops > 1e7);
  CHECK(flops < 1e13);  // one core
}
