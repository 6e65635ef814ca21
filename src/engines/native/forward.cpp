// SPDX-License-Identifier: MIT
#include "engines/native/forward.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "data/feature_scaling.hpp"
#include "engines/native/layers/activation_layer.hpp"
#include "engines/native/layers/dense_panels.hpp"
#include "engines/native/layers/encoding.hpp"
#include "engines/native/layers/layers_refusal.hpp"
#include "engines/native/layers/norms.hpp"

namespace sheaf {
namespace {

// If all weights fit the second-level cache, a tile has only as many rows as a kernel: few rows are fetched sooner.
// Larger weights are read from farther away, once per tile, so a tile has more rows.
constexpr std::int64_t cached_weight_bytes = std::int64_t{1} << 19;
constexpr std::int64_t few_rows = 16, many_rows = 96;

// When a byte of a mapped file is accessed, this much of the file is mapped at once. Only mapped bytes can be
// prefetched.
constexpr std::ptrdiff_t mapped_bytes = 64 << 10;

std::int64_t tile_rows(const std::vector<Layer>& layers, std::int64_t rows_at_once) {
  std::int64_t bytes = 0;
  for (const Layer& layer : layers) bytes += layer.weight_count() * static_cast<std::int64_t>(sizeof(float));
  return (bytes <= cached_weight_bytes ? few_rows : many_rows) / rows_at_once * rows_at_once;
}

bool changes_features(const FeatureScaling& scaling) {
  const auto differs = [](const std::vector<float>& values, float from) {
    return std::any_of(values.begin(), values.end(), [from](float value) { return value != from; });
  };
  return differs(scaling.shift, 0) || differs(scaling.scale, 1) || differs(scaling.clip, 0);
}

}  // namespace

NativeForward::NativeForward(const std::vector<Layer>& layers, Activation activation, const NetworkState& network,
                             const FeatureScaling& scaling)
    : feature_count_(layers.front().inputs),
      scaling_(changes_features(scaling) ? scaling : FeatureScaling{}),
      tile_(tile_rows(layers, row_kernels().rows_at_once)),
      first_dense_(layers.front().is_encoding() ? 1 : 0) {
  require_layers(layers);
  add_layers(layers, activation, scaling);
  ArenaLayout sizes;
  lay_out(sizes);
  arena_ = Arena(sizes.bytes());
  ArenaLayout arrays(arena_.data());
  lay_out(arrays);
  parameters_.load(chain_, network.parameters);
  load_statistics(network.buffers);
}

void NativeForward::add_layers(const std::vector<Layer>& layers, Activation activation, const FeatureScaling& scaling) {
  ModelOptions options;
  options.activation = activation;
  values_.reserve(layers.size());  // layers have references to its elements
  for (std::size_t index = 0; index < layers.size(); ++index) {
    shift_ = add_layer(layers[index], scaling);
    if (!layers[index].activated) continue;
    auto activated = std::make_unique<ActivationLayer<float>>(index, values_.back(), shift_, parameters_, scratch_);
    activated->set_options(options);
    chain_.push_back(std::move(activated));
  }
}

// Returns the shift that the next layer adds.
ShiftOffset NativeForward::add_layer(const Layer& layer, const FeatureScaling& scaling) {
  if (layer.is_norm()) return add_norm(layer, shift_);
  return layer.is_encoding() ? add_encoding(layer, scaling) : add_dense(layer);
}

// It adds its bias itself.
ShiftOffset NativeForward::add_encoding(const Layer& layer, const FeatureScaling& scaling) {
  LayerValues<float>& outputs = values_.emplace_back();
  outputs.cut.whole = true;
  chain_.push_back(std::make_unique<EncodingRows>(layer, scaling, outputs, parameters_));
  return std::nullopt;
}

// Returns the layer's bias.
ShiftOffset NativeForward::add_dense(const Layer& layer) {
  const LayerValues<float>* inputs = values_.empty() ? nullptr : &values_.back();
  LayerValues<float>& outputs = values_.emplace_back();
  outputs.cut = {layer.outputs, true};
  auto dense = std::make_unique<DensePanels>(layer, inputs, outputs, parameters_);
  const ShiftOffset shift = dense->shift();
  chain_.push_back(std::move(dense));
  return shift;
}

// Returns its own shift.
ShiftOffset NativeForward::add_norm(const Layer& layer, ShiftOffset bias) {
  auto [norm, shift] = make_norm(layer, values_.back(), bias, parameters_, scratch_);
  chain_.push_back(std::move(norm));
  return shift;
}

void NativeForward::load_statistics(const std::vector<double>& buffers) {
  const double* from = buffers.data();
  for (const auto& layer : chain_)
    layer->for_each_buffer([&](const Buffer<float>& buffer) {
      std::transform(from, from + buffer.count, buffer.values, [](double value) { return static_cast<float>(value); });
      from += buffer.count;
    });
  assert(from == buffers.data() + buffers.size());
}

void NativeForward::lay_out(ArenaLayout& arena) {
  parameters_.lay_out(arena, false);
  for (const auto& layer : chain_) layer->lay_out_predictions(arena);
  scaled_ = arena.take<float>(tile_ * feature_count_);
  std::int64_t widest = 0;
  for (const LayerValues<float>& values : values_) widest = std::max(widest, values.cut.total_columns());
  for (float*& values : buffers_) values = arena.take<float>(tile_ * widest);
  for (std::size_t index = 0; index < values_.size(); ++index) {
    values_[index].rows = buffers_[index % 2];
    values_[index].lay_out_levels(arena, tile_);
  }
}

// The tile after the one that begins at `done`, as memory to prefetch. Accesses it first, so that it is mapped.
Prefetch NativeForward::tile_after(const float* features, std::int64_t done, std::int64_t count) const {
  const std::int64_t begin = std::min(done + tile_, count), end = std::min(begin + tile_, count);
  const std::int64_t width = feature_count_;
  const Prefetch prefetch{reinterpret_cast<const char*>(features + begin * width),
                          reinterpret_cast<const char*>(features + end * width)};
  const auto offset = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(prefetch.next) %
                                                  static_cast<std::uintptr_t>(mapped_bytes));
  for (auto byte = offset == 0 ? 0 : mapped_bytes - offset; byte < prefetch.end - prefetch.next; byte += mapped_bytes)
    static_cast<void>(static_cast<const volatile char*>(prefetch.next)[byte]);
  return prefetch;
}

// The scaled features of a tile. Without scaling, the features are used in place.
const float* NativeForward::tile_features(const float* features, std::int64_t count) {
  if (scaling_.shift.empty()) return features;
  const std::int64_t width = feature_count_;
  for (std::int64_t row = 0; row < count; ++row)
    for (std::int64_t column = 0; column < width; ++column)
      scaled_[row * width + column] =
          (features[row * width + column] - scaling_.shift[static_cast<std::size_t>(column)]) *
          scaling_.scale[static_cast<std::size_t>(column)];
  if (scaling_.clip.empty()) return scaled_;
  for (std::int64_t row = 0; row < count; ++row)
    for (std::int64_t column = 0; column < width; ++column) {
      float& value = scaled_[row * width + column];
      value /= clip_divisor(value * scaling_.clip[static_cast<std::size_t>(column)]);
    }
  return scaled_;
}

// Whether the features of all rows are finite, judged by the first output of the first dense layer. Infinity or NaN in
// a sum makes the sum infinite or NaN for every weight, because infinity times zero is NaN. An encoding passes on or
// multiplies each feature by a weight, too.
bool NativeForward::has_finite_sums(std::int64_t count) const {
  const LayerValues<float>& sums = values_[first_dense_];
  const std::int64_t stride = sums.cut.total_columns();
  float sum = 0;
  for (std::int64_t row = 0; row < count; ++row) sum += 0 * sums.rows[row * stride];
  return sum == 0;
}

bool NativeForward::operator()(const float* features, std::int64_t count, float* outputs) {
  const LayerValues<float>& last = values_.back();
  const std::int64_t output_count = last.cut.features, stride = last.cut.total_columns();
  const float* shift = parameters_.shift(shift_);
  bool finite = true;
  for (std::int64_t done = 0; done < count; done += tile_) {
    const std::int64_t rows = std::min(tile_, count - done);
    Prefetch prefetch = tile_after(features, done, count);
    TilePass pass{rows, rows};
    pass.prefetch = &prefetch;
    pass.features = tile_features(features + done * feature_count_, rows);
    for (const auto& layer : chain_) {
      layer->forward(pass);
      if (layer == chain_[first_dense_]) finite = has_finite_sums(rows) && finite;
    }
    const float* row = last.rows;
    for (std::int64_t end = done + rows, index = done; index < end; ++index, row += stride, outputs += output_count)
      for (std::int64_t output = 0; output < output_count; ++output) outputs[output] = row[output] + shift[output];
  }
  return finite;
}

}  // namespace sheaf
