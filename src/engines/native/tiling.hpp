// How batches are cut into tiles of rows that fit a core's cache. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engines/native/feature_blocks.hpp"
#include "models/network_layout.hpp"

namespace sheaf {

/// Rows that fit a core's second-level cache with their activations, at least 64; a multiple of `padding`.
std::int64_t cached_rows(const std::vector<Layer>& layers, std::int64_t value_bytes);

/// Rows of a tile at most, of batches that pass by. A product reuses what it reads, so its tiles fill the second-level
/// cache; a linear model with few outputs runs at the speed of the cache, so its tiles fit the first. A multiple of
/// `padding`.
std::int64_t best_tile_rows(const std::vector<Layer>& layers, std::int64_t value_bytes);

/// Rows of each tile but the last when `rows` rows go in even tiles of at most `limit` (a multiple of `padding`).
std::int64_t tile_rows(std::int64_t rows, std::int64_t limit);

/// Rows of the last tile.
inline std::int64_t last_tile_rows(std::int64_t rows, std::int64_t tile) {
  return rows - (rows - 1) / tile * tile;
}

}  // namespace sheaf
