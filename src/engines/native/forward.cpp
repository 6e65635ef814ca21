// SPDX-License-Identifier: MIT
#include "engines/native/forward.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "data/feature_scaling.hpp"
#include "engines/native/feature_blocks.hpp"

namespace sheaf {
namespace {

// The weights of a panel and a block of inputs are 100 KiB. They are read from the second-level cache once for each
// group of rows that a kernel multiplies.
constexpr std::int64_t panel_outputs = 32;
constexpr std::int64_t max_block_inputs = 800;

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

NativeForward::NativeForward(const std::vector<Layer>& layers, Activation activation,
                             const std::vector<float>& parameters, const FeatureScaling& scaling)
    : activation_(activation),
      scaling_(changes_features(scaling) ? scaling : FeatureScaling{}),
      tile_(tile_rows(layers, kernels_.rows_at_once)) {
  ArenaLayout sizes;
  lay_out(sizes, layers);
  arena_ = Arena(sizes.bytes());
  ArenaLayout arrays(arena_.data());
  lay_out(arrays, layers);
  const float* from = parameters.data();
  std::int64_t input_stride = layers.front().inputs;
  for (std::size_t index = 0; index < layers.size(); ++index) {
    add_layer(layers[index], input_stride, weights_[index], biases_[index], from);
    from += layers[index].weight_count() + layers[index].bias_count();
    input_stride = layers_.back().stride;
  }
  assert(from == parameters.data() + parameters.size());
}

void NativeForward::lay_out(ArenaLayout& arena, const std::vector<Layer>& layers) {
  weights_.clear();
  biases_.clear();
  std::int64_t widest = 0;
  for (const Layer& layer : layers) {
    assert(layer.kind == Layer::Kind::dense);
    const std::int64_t stride = round_up(layer.outputs, padding);
    weights_.push_back(arena.take<float>(layer.inputs * stride));
    biases_.push_back(arena.take<float>(stride));
    widest = std::max(widest, stride);
  }
  scaled_ = arena.take<float>(tile_ * layers.front().inputs);
  for (float*& values : values_) values = arena.take<float>(tile_ * widest);
}

void NativeForward::add_layer(const Layer& layer, std::int64_t input_stride, float* weights, float* bias,
                              const float* parameters) {
  LayerProducts products{layer.inputs, layer.outputs, round_up(layer.outputs, padding), bias, {}};
  const std::int64_t blocks = (layer.inputs + max_block_inputs - 1) / max_block_inputs;
  const std::int64_t block_inputs = (layer.inputs + blocks - 1) / blocks;
  for (std::int64_t output = 0; output < products.stride; output += panel_outputs) {
    const std::int64_t width = std::min(panel_outputs, products.stride - output);
    const std::int64_t used = std::min(width, layer.outputs - output);
    for (std::int64_t input = 0; input < layer.inputs; input += block_inputs) {
      const std::int64_t depth = std::min(block_inputs, layer.inputs - input);
      products.panels.push_back({{weights, depth, width, input_stride, products.stride, input > 0}, input, output});
      for (std::int64_t row = 0; row < depth; ++row, weights += width)
        for (std::int64_t column = 0; column < used; ++column)
          weights[column] = parameters[(output + column) * layer.inputs + input + row];
    }
  }
  std::copy_n(parameters + layer.weight_count(), layer.bias_count(), bias);
  layers_.push_back(std::move(products));
}

// The tile after the one that begins at `done`, as memory to prefetch. Accesses it first, so that it is mapped.
Prefetch NativeForward::tile_after(const float* features, std::int64_t done, std::int64_t count) const {
  const std::int64_t begin = std::min(done + tile_, count), end = std::min(begin + tile_, count);
  const std::int64_t width = layers_.front().inputs;
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
  const std::int64_t width = layers_.front().inputs;
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

// Whether the features of all rows are finite, judged by the first output of the first layer. Infinity or NaN in a sum
// makes the sum infinite or NaN for every weight, because infinity times zero is NaN.
bool NativeForward::has_finite_sums(const float* values, std::int64_t count) const {
  const std::int64_t stride = layers_.front().stride;
  float sum = 0;
  for (std::int64_t row = 0; row < count; ++row) sum += 0 * values[row * stride];
  return sum == 0;
}

bool NativeForward::operator()(const float* features, std::int64_t count, float* outputs) {
  const LayerProducts& last = layers_.back();
  bool finite = true;
  for (std::int64_t done = 0; done < count; done += tile_) {
    const std::int64_t rows = std::min(tile_, count - done);
    Prefetch prefetch = tile_after(features, done, count);
    const float* inputs = tile_features(features + done * layers_.front().inputs, rows);
    for (std::size_t index = 0; index < layers_.size(); ++index) {
      const LayerProducts& layer = layers_[index];
      float* values = values_[index % 2];
      for (const PanelProduct& panel : layer.panels)
        kernels_.multiply_rows(panel.product, inputs + panel.input, rows, values + panel.output, prefetch);
      if (index == 0) finite = has_finite_sums(values, rows) && finite;
      if (&layer != &last)
        activations_.activate_rows(activation_, layer.bias, nullptr, 0, 1, layer.outputs, rows, values, nullptr);
      inputs = values;
    }
    for (std::int64_t row = 0; row < rows; ++row, inputs += last.stride, outputs += last.outputs)
      for (std::int64_t output = 0; output < last.outputs; ++output)
        outputs[output] = inputs[output] + last.bias[output];
  }
  return finite;
}

}  // namespace sheaf
