// Padding of arrays to a multiple of the vector length. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace sheaf {

/// Returns the smallest multiple of `step` that is at least `value`.
constexpr std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

/// Rows, columns and blocks are padded to a multiple of this many floats: one cache line, and a whole number of vectors
/// in every instruction set.
constexpr std::int64_t padding = 16;

/// The rows of a model that is trained together with others are padded to a multiple of this: LibTorch's loops compute
/// two vectors at a time, of up to 16 floats, and the remaining values with other instructions, which may round
/// differently.
constexpr std::int64_t stack_padding = 32;

}  // namespace sheaf
