// Finds what is not a number. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace sheaf {

/// The place of the first value that is infinite or not a number; `count` when all are finite. Vectorised.
std::int64_t first_not_finite(const float* values, std::int64_t count);
std::int64_t first_not_finite(const double* values, std::int64_t count);

}  // namespace sheaf
