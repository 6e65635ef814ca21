// Divides a layer's inputs and outputs into blocks, the unit of products and updates in the native engine. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/padding.hpp"

namespace sheaf {

/// Layers with fewer outputs use sums over columns. A matrix product this narrow is bound by the latency of additions.
constexpr std::int64_t narrow_outputs = 4;

/// A layer's features in blocks of 64; the last block may be shorter. A matrix [n, features] is stored block by block.
/// Each block is row-major [n, padded(block)] and contiguous: 64 columns and 128 rows of floats are 32 KiB. Padding
/// columns are zero.
struct FeatureBlocks {
  static constexpr std::int64_t width = 64;
  std::int64_t features = 0;
  bool whole = false;  ///< all features are one block, as in predictions

  std::int64_t count() const { return whole ? 1 : (features + width - 1) / width; }
  std::int64_t block_of(std::int64_t feature) const { return whole ? 0 : feature / width; }
  std::int64_t columns(std::int64_t block) const {
    return whole ? features : std::min(width, features - block * width);
  }
  std::int64_t padded(std::int64_t block) const { return round_up(columns(block), padding); }
  /// The offset of a block in a matrix with `n` rows.
  std::int64_t offset(std::int64_t block, std::int64_t n) const { return block * width * n; }
  /// The columns of all blocks, including padding.
  std::int64_t total_columns() const { return round_up(features, padding); }
};

}  // namespace sheaf
