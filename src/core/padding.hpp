// Padding of arrays to whole vectors. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace sheaf {

/// The least multiple of `step` that is not below `value`.
constexpr std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

/// Rows, columns and blocks are padded to whole cache lines of floats, hence to whole vectors of every instruction set.
constexpr std::int64_t padding = 16;

}  // namespace sheaf
