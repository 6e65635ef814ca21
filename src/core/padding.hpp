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

}  // namespace sheaf
