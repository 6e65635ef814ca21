// SPDX-License-Identifier: MIT
#include "engines/native/kernels/product_speed.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/clock.hpp"
#include "engines/native/kernels/product.hpp"

namespace sheaf {

double measure_flops(const std::function<void()>& multiply) {
  multiply();  // the first call initializes the library

  // The best of several calls is least affected by other work on the machine.
  double best = 0;
  const auto end = Clock::now() + std::chrono::milliseconds(10);
  do {
    const auto start = Clock::now();
    multiply();
    const double seconds = seconds_since(start);
    best = std::max(best, 2.0 * measured_side * measured_side * measured_side / seconds);
  } while (Clock::now() < end);
  return best;
}

double measure_native_flops() {
  constexpr std::int64_t side = measured_side;
  const Product<float> product(ProductShape{side, side, side, side, side, side, false, false});
  const std::vector<float> ones(side * side, 1.0F);
  std::vector<float> result(side * side);
  return measure_flops([&] { product(ones.data(), ones.data(), result.data()); });
}

}  // namespace sheaf
