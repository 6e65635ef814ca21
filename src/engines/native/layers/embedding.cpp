// SPDX-License-Identifier: MIT
#include "engines/native/layers/embedding.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sheaf {
namespace {

// The rows whose values of an input are copied into a column for predictions.
constexpr std::int64_t rows_at_once = 64;
static_assert(rows_at_once % padding == 0);

// An embedded input's outputs are in one block.
static_assert(FeatureBlocks::width % embedding_width == 0);

}  // namespace

template <class Value>
EmbeddingParameters<Value>::EmbeddingParameters(const Layer& layout, Parameters<Value>& parameters)
    : layout_(layout),
      inputs_(embedded_features(layout.inputs, layout.passed)),
      parameters_(parameters),
      weights_(parameters.add_weights(layout.weight_count())) {
  if (layout.bias) bias_ = parameters.add(layout.bias_count());
}

template <class Value>
void EmbeddingParameters<Value>::set_edges(const std::vector<float>& edges) {
  assert(static_cast<std::int64_t>(edges.size()) == layout_.embedded() * max_edges);
  bins_ = feature_bins<Value>(edges);
  inner_counts_.clear();
  for (auto inner = bins_.inner.begin(); inner != bins_.inner.end(); inner += max_bins - 1)
    inner_counts_.push_back(std::count_if(inner, inner + max_bins - 1, [](Value edge) { return std::isfinite(edge); }));
}

template <class Value>
void EmbeddingParameters<Value>::for_each_segment(const SegmentUse& use) const {
  use({weights_, 1, layout_.weight_count()});
  if (bias_) use({*bias_, 1, layout_.bias_count()});
}

template <class Value>
EmbeddingBins<Value> EmbeddingParameters<Value>::bins_of(std::int64_t number) const {
  return {bins_.inner.data() + number * (max_bins - 1), inner_counts_[static_cast<std::size_t>(number)],
          bins_.lower.data() + number * max_bins, bins_.width.data() + number * max_bins};
}

template <class Value>
EmbeddingWeights<Value> EmbeddingParameters<Value>::weights_of(std::int64_t number) const {
  const Value* factor = parameters_.at(offset_of(number));
  const Value* bias = parameters_.shift(bias_);
  return {factor, factor + embedding_width, bias == nullptr ? nullptr : bias + number * embedding_width};
}

template <class Value>
void EmbeddingParameters<Value>::clear_gradients() const {
  std::fill_n(parameters_.gradients_at(weights_), round_up(layout_.weight_count(), padding), Value{0});
  if (bias_) std::fill_n(parameters_.gradients_at(*bias_), round_up(layout_.bias_count(), padding), Value{0});
}

template <class Value>
EmbeddingGradients<Value> EmbeddingParameters<Value>::gradients_of(std::int64_t number, Value* unused) const {
  Value* factor = parameters_.gradients_at(offset_of(number));
  return {factor, factor + embedding_width,
          bias_ ? parameters_.gradients_at(*bias_) + number * embedding_width : unused};
}

template <class Value>
void EmbeddingParameters<Value>::update() const {
  const auto update = [this](std::int64_t offset, std::int64_t count) {
    parameters_.update(parameters_.gradients_at(offset), offset, round_up(count, padding));
  };
  update(weights_, layout_.weight_count());
  if (bias_) update(*bias_, layout_.bias_count());
}

template <class Value>
EmbeddingLayer<Value>::EmbeddingLayer(const Layer& layout, LayerValues<Value>& inputs, LayerValues<Value>& outputs,
                                      Parameters<Value>& parameters, Scratch<Value>& scratch)
    : parameters_(layout, parameters), inputs_(inputs), outputs_(outputs), scratch_(scratch) {
  inputs.needs_columns = true;
  outputs.source = LayerValues<Value>::Source::rows;
  scratch.widest = std::max(scratch.widest, outputs.cut.total_columns());
}

template <class Value>
void EmbeddingLayer<Value>::lay_out(ArenaLayout& arena, std::int64_t max_rows) {
  bins_ = arena.take<BinNumber<Value>>(parameters_.layout().embedded() * max_rows);
  places_ = arena.take<Value>(parameters_.layout().embedded() * max_rows);
}

template <class Value>
EmbeddedValues<Value> EmbeddingLayer<Value>::values_of(std::int64_t number, std::int64_t row_count) const {
  const std::int64_t input = parameters_.inputs()[static_cast<std::size_t>(number)];
  return {inputs_.columns + input * row_count, bins_ + number * row_count, places_ + number * row_count};
}

template <class Value>
void EmbeddingLayer<Value>::forward(const TilePass& pass) {
  const Layer& layout = parameters_.layout();
  const FeatureBlocks& cut = outputs_.cut;
  const std::int64_t row_count = pass.row_count;
  // The place of an output in the first row.
  const auto place_of = [&](std::int64_t output) {
    return outputs_.rows + cut.offset(output / FeatureBlocks::width, row_count) + output % FeatureBlocks::width;
  };
  const auto stride_of = [&](std::int64_t output) { return cut.padded(output / FeatureBlocks::width); };
  for (std::int64_t number = 0, output = 0; number < layout.embedded(); ++number, output += embedding_width) {
    const EmbeddedValues<Value> values = values_of(number, row_count);
    kernels_.locate(parameters_.bins_of(number), values.values, row_count, bins_ + number * row_count,
                    places_ + number * row_count);
    kernels_.embed(parameters_.weights_of(number), values, row_count, stride_of(output), place_of(output));
  }
  const auto write_column = [&](std::int64_t output, const Value* column) {
    Value* to = place_of(output);
    const std::int64_t stride = stride_of(output);
    for (std::int64_t row = 0; row < row_count; ++row) to[row * stride] = column == nullptr ? Value{0} : column[row];
  };
  std::int64_t output = layout.embedded() * embedding_width;
  for (const std::int64_t input : layout.passed) write_column(output++, inputs_.columns + input * row_count);
  while (output < cut.total_columns()) write_column(output++, nullptr);
}

template <class Value>
Value* EmbeddingLayer<Value>::backward(const TilePass& pass, Value* gradients, Value*) {
  const FeatureBlocks& cut = outputs_.cut;
  if (pass.tile->first) parameters_.clear_gradients();
  for (std::int64_t number = 0, output = 0; number < parameters_.layout().embedded();
       ++number, output += embedding_width) {
    const std::int64_t block = output / FeatureBlocks::width;
    const Value* of_outputs = gradients + cut.offset(block, pass.row_count) + output % FeatureBlocks::width;
    kernels_.embed_gradient(values_of(number, pass.row_count), pass.count, of_outputs, cut.padded(block),
                            parameters_.gradients_of(number, scratch_.unused_sums));
  }
  if (pass.updates) parameters_.update();
  return gradients;
}

template class EmbeddingParameters<float>;
template class EmbeddingParameters<double>;
template class EmbeddingLayer<float>;
template class EmbeddingLayer<double>;

EmbeddingRows::EmbeddingRows(const Layer& layout, const std::vector<float>& edges, LayerValues<float>& outputs,
                             Parameters<float>& parameters)
    : parameters_(layout, parameters), outputs_(outputs) {
  parameters_.set_edges(edges);
  outputs.source = LayerValues<float>::Source::rows;
}

void EmbeddingRows::lay_out_predictions(ArenaLayout& arena) {
  values_ = arena.take<float>(rows_at_once);
  places_ = arena.take<float>(rows_at_once);
  bins_ = arena.take<BinNumber<float>>(rows_at_once);
}

void EmbeddingRows::forward(const TilePass& pass) {
  const Layer& layout = parameters_.layout();
  const std::int64_t stride = outputs_.cut.total_columns();
  for (std::int64_t begin = 0; begin < pass.row_count; begin += rows_at_once) {
    const std::int64_t count = std::min(rows_at_once, pass.row_count - begin);
    const float* features = pass.features + begin * layout.inputs;
    float* outputs = outputs_.rows + begin * stride;
    for (std::int64_t number = 0; number < layout.embedded(); ++number)
      embed(number, features, count, outputs + number * embedding_width);
    outputs += layout.embedded() * embedding_width;
    for (std::int64_t row = 0; row < count; ++row, features += layout.inputs, outputs += stride)
      for (std::size_t place = 0; place < layout.passed.size(); ++place)
        outputs[place] = features[layout.passed[place]];
  }
}

// The values of an input are copied, because kernels read columns.
void EmbeddingRows::embed(std::int64_t number, const float* features, std::int64_t count, float* outputs) {
  const std::int64_t row_count = round_up(count, padding);
  const float* feature = features + parameters_.inputs()[static_cast<std::size_t>(number)];
  for (std::int64_t row = 0; row < count; ++row) values_[row] = feature[row * parameters_.layout().inputs];
  std::fill(values_ + count, values_ + row_count, 0.0f);
  kernels_.locate(parameters_.bins_of(number), values_, row_count, bins_, places_);
  kernels_.embed(parameters_.weights_of(number), {values_, bins_, places_}, count, outputs_.cut.total_columns(),
                 outputs);
}

}  // namespace sheaf
