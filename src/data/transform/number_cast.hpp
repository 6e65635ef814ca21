// Between doubles and the numbers that files hold. Vectorised, with the widest instruction set that the processor has.
// Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/transform/matrix_kernels.hpp"
#include "files/hdf5/number_array.hpp"

namespace sheaf {

/// Writes `count` numbers to `to`, aligned. Integers: rounded to the nearest, halves to the even one, what lies beyond
/// the type's ends to its end; the values are finite. float16, float32: rounded, what they cannot hold becomes
/// infinite.
void cast_numbers(const double* values, std::int64_t count, NumberType type, std::byte* to);

/// `rows` rows of `columns` numbers, one after the other, as doubles. Fetches as many rows behind them, which are read
/// next where images are worked on from top to bottom; they need not exist.
void widen_numbers(Window<const std::uint8_t> from, std::int64_t rows, std::int64_t columns, double* to);
void widen_numbers(Window<const float> from, std::int64_t rows, std::int64_t columns, double* to);
void widen_numbers(Window<const double> from, std::int64_t rows, std::int64_t columns, double* to);

}  // namespace sheaf
