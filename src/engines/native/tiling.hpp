// Chooses the tile size: the number of rows of a batch that fit into a core's cache together. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engines/native/kernels/feature_blocks.hpp"
#include "models/network_layout.hpp"

namespace sheaf {

/// The rows that fit a core's second-level cache with their activations, at least 64; a multiple of `padding`.
std::int64_t cached_rows(const std::vector<Layer>& layers, std::int64_t value_bytes);

/// The maximum rows per tile if each batch has other rows. Matrix products reuse their inputs, so their tiles fill the
/// second-level cache. A linear model with few outputs runs at the speed of the cache, so its tiles fit the first-level
/// cache. Batch norms need the whole batch in one tile, whatever its size. A multiple of `padding`.
std::int64_t best_tile_rows(const std::vector<Layer>& layers, std::int64_t batch_size, std::int64_t value_bytes);

/// The rows per tile, except for the last one, if `rows` rows are divided into even tiles of at most `limit` rows (a
/// multiple of `padding`).
std::int64_t tile_rows(std::int64_t rows, std::int64_t limit);

/// The rows in the last tile.
inline std::int64_t last_tile_rows(std::int64_t rows, std::int64_t tile) {
  return rows - (rows - 1) / tile * tile;
}

}  // namespace sheaf
