// SPDX-License-Identifier: MIT
#include "engine/resident/tiling.hpp"

namespace sheaf {

std::int64_t cached_rows(const std::vector<Layer>& layers, std::int64_t value_bytes) {
  constexpr std::int64_t cache_bytes = 256 << 10;  // half of what common cores have
  std::int64_t values_per_row = 2 * layers.back().outputs;
  for (const Layer& layer : layers)  // inputs twice, the activation's slope, and gradients
    values_per_row += 3 * round_up(layer.inputs, padding) + layer.outputs;
  return std::max<std::int64_t>(64, cache_bytes / (values_per_row * value_bytes) / padding * padding);
}

std::int64_t best_tile_rows(const std::vector<Layer>& layers, std::int64_t value_bytes) {
  const Layer& first = layers.front();
  if (layers.size() > 1 || first.outputs >= narrow_outputs) return cached_rows(layers, value_bytes);
  constexpr std::int64_t cache_bytes = 28 << 10;  // of 32 KiB
  const std::int64_t values_per_row = first.inputs + 4 * first.outputs;
  return std::max<std::int64_t>(64, cache_bytes / (values_per_row * value_bytes) / padding * padding);
}

std::int64_t tile_rows(std::int64_t rows, std::int64_t limit) {
  const std::int64_t tiles = tile_count(rows, limit);
  return round_up((rows + tiles - 1) / tiles, padding);
}

}  // namespace sheaf
