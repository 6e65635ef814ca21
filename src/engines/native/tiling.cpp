// SPDX-License-Identifier: MIT
#include "engines/native/tiling.hpp"

namespace sheaf {

namespace {

// Behind an encoding without weights, too.
bool is_narrow_and_linear(const std::vector<Layer>& layers) {
  const bool is_alone = layers.size() == 1 || (layers.front().is_encoding() && layers.front().weight_count() == 0);
  return layers.size() <= 2 && is_alone && layers.back().outputs < narrow_outputs;
}

bool has_batch_norms(const std::vector<Layer>& layers) {
  return std::any_of(layers.begin(), layers.end(),
                     [](const Layer& layer) { return layer.kind == Layer::Kind::batch_norm; });
}

// The values per row that the passes over a tile read and write. A one-hot encoded feature is one of them, its level.
std::int64_t values_per_row(const std::vector<Layer>& layers) {
  const std::int64_t outputs = layers.back().outputs;
  if (is_narrow_and_linear(layers)) return active_inputs(layers, layers.size() - 1) + 4 * outputs;
  std::int64_t values = 2 * outputs;
  for (std::size_t index = 0; index < layers.size(); ++index) {  // inputs twice, the activation's slope, and gradients
    values += 3 * round_up(active_inputs(layers, index), padding);
    values += index + 1 < layers.size() ? active_inputs(layers, index + 1) : outputs;
  }
  return values;
}

std::int64_t fitting_rows(std::int64_t cache_bytes, const std::vector<Layer>& layers, std::int64_t value_bytes) {
  return std::max<std::int64_t>(64, cache_bytes / (values_per_row(layers) * value_bytes) / padding * padding);
}

}  // namespace

std::int64_t cached_rows(const std::vector<Layer>& layers, std::int64_t value_bytes) {
  return fitting_rows(256 << 10, layers, value_bytes);  // half of the second-level cache of common cores
}

std::int64_t best_tile_rows(const std::vector<Layer>& layers, std::int64_t batch_size, std::int64_t value_bytes) {
  if (has_batch_norms(layers)) return std::max(cached_rows(layers, value_bytes), round_up(batch_size, padding));
  if (!is_narrow_and_linear(layers)) return cached_rows(layers, value_bytes);
  return fitting_rows(28 << 10, layers, value_bytes);  // of a first-level cache of 32 KiB
}

std::int64_t tile_rows(std::int64_t rows, std::int64_t limit) {
  const std::int64_t tiles = (rows + limit - 1) / limit;
  return round_up((rows + tiles - 1) / tiles, padding);
}

}  // namespace sheaf
