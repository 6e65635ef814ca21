// Searches arrays for NaN and infinity. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace sheaf {

/// Returns the index of the first value that is infinite or NaN, or `count` if all values are finite. Vectorized.
std::int64_t first_not_finite(const float* values, std::int64_t count);
std::int64_t first_not_finite(const double* values, std::int64_t count);

}  // namespace sheaf
