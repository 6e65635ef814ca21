// SPDX-License-Identifier: MIT
#include "engine/resident/forward.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/resident/feature_blocks.hpp"

namespace sheaf {
namespace {

// Four vectors of outputs by three rows fill AVX2's registers with sums, so a product keeps them there over a whole
// block of inputs. A panel's weights over a block, 100 KiB, and a tile of rows stay in the second-level cache: for
// every vector of weights that comes from there, three are multiplied.
constexpr std::int64_t panel_outputs = 32;
constexpr std::int64_t most_block_inputs = 800;
constexpr std::int64_t most_tile_rows = 96;

// Outputs are padded to whole vectors.
constexpr std::int64_t vector_floats = 8;

// Rows of the fewest even tiles. Two at least, so that a tile of values is whole vectors of every instruction set.
std::int64_t even_tile(std::int64_t count) {
  const std::int64_t tiles = (count + most_tile_rows - 1) / most_tile_rows;
  return round_up((count + tiles - 1) / tiles, padding / vector_floats);
}

bool changes_features(const FeatureScaling& scaling) {
  const auto differs = [](const std::vector<float>& values, float from) {
    return std::any_of(values.begin(), values.end(), [from](float value) { return value != from; });
  };
  return differs(scaling.shift, 0) || differs(scaling.scale, 1);
}

}  // namespace

ResidentForward::ResidentForward(const std::vector<Layer>& layers, Activation activation,
                                 const std::vector<float>& parameters, const FeatureScaling& scaling,
                                 std::int64_t usual_count)
    : activation_(activation),
      tile_(even_tile(usual_count)),
      scaling_(changes_features(scaling) ? scaling : FeatureScaling{}) {
  ArenaLayout sizes;
  lay_out(sizes, layers);
  arena_ = Arena(sizes.bytes());
  ArenaLayout pieces(arena_.data());
  lay_out(pieces, layers);
  const float* from = parameters.data();
  std::int64_t input_stride = layers.front().inputs;
  for (std::size_t index = 0; index < layers.size(); ++index) {
    add_place(layers[index], input_stride, weights_[index], biases_[index], from);
    from += layers[index].weight_count() + layers[index].bias_count();
    input_stride = places_.back().stride;
  }
  assert(from == parameters.data() + parameters.size());
}

void ResidentForward::lay_out(ArenaLayout& arena, const std::vector<Layer>& layers) {
  weights_.clear();
  biases_.clear();
  std::int64_t widest = 0;
  for (const Layer& layer : layers) {
    assert(layer.kind == Layer::Kind::dense);
    const std::int64_t stride = round_up(layer.outputs, vector_floats);
    weights_.push_back(arena.take<float>(layer.inputs * stride));
    biases_.push_back(arena.take<float>(stride));
    widest = std::max(widest, stride);
  }
  scaled_ = arena.take<float>(tile_ * layers.front().inputs);
  for (float*& values : values_) values = arena.take<float>(tile_ * widest);
}

void ResidentForward::add_place(const Layer& layer, std::int64_t input_stride, float* weights, float* bias,
                                const float* parameters) {
  Place place{layer.inputs, layer.outputs, round_up(layer.outputs, vector_floats), bias, {}};
  const std::int64_t blocks = (layer.inputs + most_block_inputs - 1) / most_block_inputs;
  const std::int64_t block_inputs = (layer.inputs + blocks - 1) / blocks;
  for (std::int64_t output = 0; output < place.stride; output += panel_outputs) {
    const std::int64_t width = std::min(panel_outputs, place.stride - output);
    const std::int64_t used = std::min(width, layer.outputs - output);
    for (std::int64_t input = 0; input < layer.inputs; input += block_inputs) {
      const std::int64_t depth = std::min(block_inputs, layer.inputs - input);
      place.pieces.push_back({Product<float>({width, tile_, depth, width, input_stride, place.stride, false, true}),
                              input, output, weights});
      for (std::int64_t row = 0; row < depth; ++row, weights += width)
        for (std::int64_t column = 0; column < used; ++column)
          weights[column] = parameters[(output + column) * layer.inputs + input + row];
    }
  }
  std::copy_n(parameters + layer.weight_count(), layer.bias_count(), bias);
  places_.push_back(std::move(place));
}

// A tile's features as the products take them: in place where they need no scaling and no padding.
const float* ResidentForward::tile_features(const float* features, std::int64_t count) {
  const std::int64_t width = places_.front().inputs;
  if (scaling_.shift.empty() && count == tile_) return features;
  for (std::int64_t row = 0; row < count; ++row) {
    const float* from = features + row * width;
    float* to = scaled_ + row * width;
    if (scaling_.shift.empty())
      std::copy_n(from, width, to);
    else
      for (std::int64_t column = 0; column < width; ++column)
        to[column] = (from[column] - scaling_.shift[static_cast<std::size_t>(column)]) *
                     scaling_.scale[static_cast<std::size_t>(column)];
  }
  std::fill(scaled_ + count * width, scaled_ + tile_ * width, 0.0f);
  return scaled_;
}

void ResidentForward::multiply(const Place& place, const float* inputs, float* outputs) const {
  for (std::int64_t row = 0; row < tile_; ++row) std::copy_n(place.bias, place.stride, outputs + row * place.stride);
  for (const Piece& piece : place.pieces) piece.product(piece.weights, inputs + piece.input, outputs + piece.output);
}

// Whether the features of rows are finite, by the first layer's first output of each. What is not makes every sum that
// it is part of so, whatever its weight: infinity times zero is not a number.
bool ResidentForward::has_finite_sums(const float* values, std::int64_t count) const {
  const std::int64_t stride = places_.front().stride;
  float sum = 0;
  for (std::int64_t row = 0; row < count; ++row) sum += 0 * values[row * stride];
  return sum == 0;
}

bool ResidentForward::operator()(const float* features, std::int64_t count, float* outputs) {
  const Place& last = places_.back();
  bool finite = true;
  for (std::int64_t done = 0; done < count; done += tile_) {
    const std::int64_t rows = std::min(tile_, count - done);
    const float* inputs = tile_features(features + done * places_.front().inputs, rows);
    for (std::size_t index = 0; index < places_.size(); ++index) {
      const Place& place = places_[index];
      float* values = values_[index % 2];
      multiply(place, inputs, values);
      if (index == 0) finite = has_finite_sums(values, rows) && finite;
      if (&place != &last)
        kernels_.activate(activation_, nullptr, nullptr, 1, 1, tile_ * place.stride, values, nullptr);
      inputs = values;
    }
    for (std::int64_t row = 0; row < rows; ++row, outputs += last.outputs)
      std::copy_n(inputs + row * last.stride, last.outputs, outputs);
  }
  return finite;
}

}  // namespace sheaf
