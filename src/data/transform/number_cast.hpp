// Converts between doubles and the number types of files. Vectorized for the widest instruction set of the processor.
// Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/transform/matrix_kernels.hpp"
#include "files/hdf5/number_array.hpp"

namespace sheaf {

/// Converts `count` doubles to `type`, and writes them to `to`, which must be aligned. Integers: the values must be
/// finite; they are rounded to nearest, ties to even, and clamped to the range of the type. float16 and float32:
/// rounded; values out of range become infinite.
void cast_numbers(const double* values, std::int64_t count, NumberType type, std::byte* to);

/// Converts `rows` rows of `columns` numbers to contiguous doubles. Prefetches the next `rows` rows, which are used
/// next when an image is processed from top to bottom; they need not exist.
void widen_numbers(Window<const std::uint8_t> from, std::int64_t rows, std::int64_t columns, double* to);
void widen_numbers(Window<const float> from, std::int64_t rows, std::int64_t columns, double* to);
void widen_numbers(Window<const double> from, std::int64_t rows, std::int64_t columns, double* to);

}  // namespace sheaf
