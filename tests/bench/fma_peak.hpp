// What a core can do at most.
// SPDX-License-Identifier: MIT
#pragma once

namespace sheaf {

/// Does about so many floating-point operations in float, as fused multiply-adds on registers alone, with the widest
/// vectors that the core has. Returns how many.
double multiply_add(double operations);

/// Operations a second of one core in multiply_add(): the best of many short measurements, `seconds` in all.
double measure_fma_peak(double seconds);

}  // namespace sheaf
