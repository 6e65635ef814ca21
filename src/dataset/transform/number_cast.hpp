// Doubles as the numbers that a file is to hold. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "hdf5/number_array.hpp"

namespace sheaf {

/// Writes `count` numbers to `to`, aligned. Integers: rounded to the nearest, halves to the even one, what lies beyond
/// the type's ends to its end; the values are finite. float16, float32: rounded, what they cannot hold becomes
/// infinite.
void cast_numbers(const double* values, std::int64_t count, NumberType type, std::byte* to);

/// The first of the values that is not finite; `count` when all are.
std::int64_t first_not_finite(const double* values, std::int64_t count);

}  // namespace sheaf
