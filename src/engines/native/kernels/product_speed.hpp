// Measures the speed of matrix products, because a slow BLAS library makes training many times slower.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

namespace sheaf {

inline constexpr std::int64_t measured_side = 256;

/// The speed in FLOP/s of `multiply`, which multiplies two square matrices of `measured_side` rows. Takes about 10 ms.
double measure_flops(const std::function<void()>& multiply);

/// The speed of the native engine's own products, in float with one thread.
double measure_native_flops();

}  // namespace sheaf
