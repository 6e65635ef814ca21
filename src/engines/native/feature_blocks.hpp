// How a layer's inputs and outputs are cut into blocks, the unit of the native engine's products and updates. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/padding.hpp"

namespace sheaf {

/// Layers with fewer outputs are summed column by column: a matrix product as narrow would wait for its own additions.
constexpr std::int64_t narrow_outputs = 4;

/// A layer's features in blocks of 64, the last one shorter. A matrix [n, features] is stored block after block, each
/// row-major [n, padded(block)]: a block of 64 columns and up to 128 rows is 32 KiB of floats and lies in one piece.
/// Pad columns are zero.
struct FeatureBlocks {
  static constexpr std::int64_t width = 64;
  std::int64_t features = 0;

  std::int64_t count() const { return (features + width - 1) / width; }
  std::int64_t columns(std::int64_t block) const { return std::min(width, features - block * width); }
  std::int64_t padded(std::int64_t block) const { return round_up(columns(block), padding); }
  /// Where a block of a matrix with `n` rows begins.
  std::int64_t offset(std::int64_t block, std::int64_t n) const { return block * width * n; }
  /// Columns of all blocks with their padding.
  std::int64_t total_columns() const { return round_up(features, padding); }
};

}  // namespace sheaf
