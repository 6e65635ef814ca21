// What a core can do at most.
// SPDX-License-Identifier: MIT
#pragma once

namespace sheaf {

/// Floating-point operations a second in float of one core that does nothing but fused multiply-adds on registers, with
/// the widest vectors it has: the best of many short measurements, `seconds` in all.
double measure_fma_peak(double seconds);

}  // namespace sheaf
