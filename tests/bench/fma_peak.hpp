// Measures the peak floating-point rate of a core.
// SPDX-License-Identifier: MIT
#pragma once

namespace sheaf {

/// Executes about `operations` float operations as fused multiply-adds on registers, with the widest vectors of the
/// core. Returns the exact number.
double multiply_add(double operations);

/// Operations per second of one core in multiply_add(): the best of many short measurements, `seconds` in total.
double measure_fma_peak(double seconds);

}  // namespace sheaf
