// How fast matrix products run: a slow BLAS library makes trainings many times slower.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

namespace sheaf {

inline constexpr std::int64_t measured_side = 256;

/// Speed in FLOP/s of `multiply`, which makes the product of two square matrices of `measured_side`; takes about 10 ms.
double measure_flops(const std::function<void()>& multiply);

/// That of the native engine's own products, in float on one thread.
double measure_native_flops();

}  // namespace sheaf
