// SPDX-License-Identifier: MIT
#include "engines/native/layers/encoding.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sheaf {
namespace {

using Use = EncodedFeature::Use;

// The rows whose values of a feature are copied into a column for predictions.
constexpr std::int64_t rows_at_once = 64;
static_assert(rows_at_once % padding == 0);

// The outputs of a feature that has weights are in one block, because they come before all others.
static_assert(FeatureBlocks::width % embedding_width == 0);

// The level of a code, or a negative number.
template <class Value>
std::int64_t level_of(const EncodedFeature& feature, Value code) {
  return static_cast<std::int64_t>(code) - feature.first_code;
}

// The row of a code in the table of the next layer, or a negative number.
template <class Value>
BinNumber<Value> table_row(const EncodedFeature& feature, const CodedFeature& coded, Value code) {
  const std::int64_t level = level_of(feature, code);
  return static_cast<BinNumber<Value>>(level < 0 ? level : coded.first_level + level);
}

}  // namespace

template <class Value>
EncodingParameters<Value>::EncodingParameters(const Layer& layout, LayerValues<Value>& outputs,
                                              Parameters<Value>& parameters)
    : layout_(layout), parameters_(parameters) {
  for (const EncodedFeature& feature : layout.features) {
    const bool is_coded = feature.use == Use::one_hot;
    places_.push_back(is_coded ? outputs.code_count() : outputs.cut.features);
    if (is_coded)
      outputs.codes.push_back({outputs.cut.features, outputs.level_count(), feature.levels});
    else
      outputs.cut.features += feature.outputs();
  }
  if (layout.weight_count() > 0) weights_ = parameters.add_weights(layout.weight_count());
  if (layout.bias) bias_ = parameters.add(layout.bias_count());
}

template <class Value>
void EncodingParameters<Value>::set_scaling(const FeatureScaling& scaling) {
  replacements_.assign(scaling.replacements.begin(), scaling.replacements.end());
  if (layout_.piecewise_count() == 0) return;
  assert(static_cast<std::int64_t>(scaling.edges.size()) == layout_.piecewise_count() * max_edges);
  bins_ = feature_bins<Value>(scaling.edges);
  inner_counts_.clear();
  for (auto inner = bins_.inner.begin(); inner != bins_.inner.end(); inner += max_bins - 1)
    inner_counts_.push_back(std::count_if(inner, inner + max_bins - 1, [](Value edge) { return std::isfinite(edge); }));
}

template <class Value>
void EncodingParameters<Value>::for_each_segment(const SegmentUse& use) const {
  if (layout_.weight_count() > 0) use({weights_, 1, layout_.weight_count()});
  if (bias_) use({*bias_, 1, layout_.bias_count()});
}

template <class Value>
EmbeddingBins<Value> EncodingParameters<Value>::bins_of(std::int64_t number) const {
  return {bins_.inner.data() + number * (max_bins - 1), inner_counts_[static_cast<std::size_t>(number)],
          bins_.lower.data() + number * max_bins, bins_.width.data() + number * max_bins};
}

template <class Value>
EmbeddingWeights<Value> EncodingParameters<Value>::weights_of(std::int64_t number) const {
  const Value* factor = parameters_.at(offset_of(piecewise(number)));
  const Value* bias = parameters_.shift(bias_);
  return {factor, factor + embedding_width, bias == nullptr ? nullptr : bias + number * embedding_width};
}

template <class Value>
void EncodingParameters<Value>::clear_gradients() const {
  std::fill_n(parameters_.gradients_at(weights_), round_up(layout_.weight_count(), padding), Value{0});
  if (bias_) std::fill_n(parameters_.gradients_at(*bias_), round_up(layout_.bias_count(), padding), Value{0});
}

template <class Value>
EmbeddingGradients<Value> EncodingParameters<Value>::gradients_of(std::int64_t number, Value* unused) const {
  Value* factor = parameters_.gradients_at(offset_of(piecewise(number)));
  return {factor, factor + embedding_width,
          bias_ ? parameters_.gradients_at(*bias_) + number * embedding_width : unused};
}

template <class Value>
void EncodingParameters<Value>::update() const {
  const auto update = [this](std::int64_t offset, std::int64_t count) {
    parameters_.update(parameters_.gradients_at(offset), offset, round_up(count, padding));
  };
  update(weights_, layout_.weight_count());
  if (bias_) update(*bias_, layout_.bias_count());
}

template <class Value>
EncodingLayer<Value>::EncodingLayer(const Layer& layout, LayerValues<Value>& inputs, LayerValues<Value>& outputs,
                                    Parameters<Value>& parameters, Scratch<Value>& scratch)
    : parameters_(layout, outputs, parameters),
      inputs_(inputs),
      outputs_(outputs),
      scratch_(scratch),
      places_of_empty_(static_cast<std::size_t>(layout.inputs)) {
  std::int64_t place = 0;
  for (const EncodedFeature& feature : layout.features)
    if (feature.use == Use::empty) places_of_empty_[static_cast<std::size_t>(feature.feature)] = place++;
  inputs.needs_columns = true;
  if (layout.weight_count() > 0) outputs.source = LayerValues<Value>::Source::rows;
  scratch.widest = std::max(scratch.widest, outputs.cut.total_columns());
}

template <class Value>
void EncodingLayer<Value>::lay_out(ArenaLayout& arena, std::int64_t max_rows) {
  const Layer& layout = parameters_.layout();
  bins_ = arena.take<BinNumber<Value>>((layout.piecewise_count() + layout.lookup_count()) * max_rows);
  places_ = arena.take<Value>(layout.piecewise_count() * max_rows);
  filled_ = arena.take<Value>(layout.empty_count() * max_rows);
  empty_ = arena.take<Value>(layout.empty_count() * max_rows);
}

template <class Value>
EmbeddedValues<Value> EncodingLayer<Value>::values_of(std::int64_t number, std::int64_t row_count) const {
  const EncodedFeature& feature = parameters_.features()[static_cast<std::size_t>(number)];
  return {column_of(feature, row_count), bins_ + number * row_count, places_ + number * row_count};
}

// A feature that has weights.
template <class Value>
void EncodingLayer<Value>::embed(std::int64_t number, std::int64_t row_count) {
  const EncodedFeature& feature = parameters_.features()[static_cast<std::size_t>(number)];
  const std::int64_t block = feature.first_output / FeatureBlocks::width, stride = outputs_.cut.padded(block);
  Value* outputs = outputs_.rows + outputs_.cut.offset(block, row_count) + feature.first_output % FeatureBlocks::width;
  BinNumber<Value>* bins = bins_ + number * row_count;
  if (feature.use == Use::piecewise) {
    const EmbeddedValues<Value> values = values_of(number, row_count);
    kernels_.locate(parameters_.bins_of(number), values.values, row_count, bins, places_ + number * row_count);
    kernels_.embed(parameters_.weights_of(number), values, row_count, stride, outputs);
    return;
  }
  const Value* codes = column_of(feature, row_count);
  for (std::int64_t row = 0; row < row_count; ++row)
    bins[row] = static_cast<BinNumber<Value>>(level_of(feature, codes[row]));
  kernels_.look_up(parameters_.table_of(feature), bins, row_count, stride, outputs);
}

template <class Value>
const Value* EncodingLayer<Value>::column_of(const EncodedFeature& feature, std::int64_t row_count) const {
  if (feature.may_be_empty) return filled_ + places_of_empty_[static_cast<std::size_t>(feature.feature)] * row_count;
  return inputs_.columns + feature.feature * row_count;
}

template <class Value>
void EncodingLayer<Value>::take_empty_cells(std::int64_t row_count) {
  const auto& features = parameters_.features();
  Value *filled = filled_, *empty = empty_;
  for (auto feature = features.end() - parameters_.layout().empty_count(); feature != features.end(); ++feature) {
    const Value* column = inputs_.columns + feature->feature * row_count;
    const Value replacement = parameters_.replacement_of(*feature);
    for (std::int64_t row = 0; row < row_count; ++row) {
      const bool is_empty = std::isnan(column[row]);
      *filled++ = is_empty ? replacement : column[row];
      *empty++ = is_empty ? Value{1} : Value{0};
    }
  }
}

// What a feature without weights is, if it is not one-hot encoded.
template <class Value>
const Value* EncodingLayer<Value>::single_output(std::int64_t number, std::int64_t row_count) const {
  const EncodedFeature& feature = parameters_.features()[static_cast<std::size_t>(number)];
  if (feature.use == Use::empty)
    return empty_ + places_of_empty_[static_cast<std::size_t>(feature.feature)] * row_count;
  return feature.use == Use::number ? column_of(feature, row_count) : nullptr;
}

template <class Value>
void EncodingLayer<Value>::write_levels(std::int64_t row_count) {
  const std::int64_t code_count = outputs_.code_count();
  for (std::size_t number = 0; number < parameters_.features().size(); ++number) {
    const EncodedFeature& feature = parameters_.features()[number];
    if (feature.use != Use::one_hot) continue;
    const std::int64_t place = parameters_.place_of(number);
    const CodedFeature& coded = outputs_.codes[static_cast<std::size_t>(place)];
    const Value* codes = column_of(feature, row_count);
    for (std::int64_t row = 0; row < row_count; ++row)
      outputs_.levels[row * code_count + place] = table_row(feature, coded, codes[row]);
  }
}

// A feature without weights. One that is one-hot encoded has no values.
template <class Value>
void EncodingLayer<Value>::write_rows(std::int64_t number, std::int64_t row_count) {
  const Value* values = single_output(number, row_count);
  if (values == nullptr) return;
  const FeatureBlocks& cut = outputs_.cut;
  const std::int64_t place = parameters_.place_of(static_cast<std::size_t>(number)), block = cut.block_of(place);
  Value* outputs = outputs_.rows + cut.offset(block, row_count) + place - block * FeatureBlocks::width;
  for (std::int64_t row = 0; row < row_count; ++row) outputs[row * cut.padded(block)] = values[row];
}

template <class Value>
void EncodingLayer<Value>::write_columns(std::int64_t row_count) {
  for (std::size_t number = 0; number < parameters_.features().size(); ++number)
    if (const Value* values = single_output(static_cast<std::int64_t>(number), row_count); values != nullptr)
      std::copy_n(values, row_count, outputs_.columns + parameters_.place_of(number) * row_count);
}

template <class Value>
void EncodingLayer<Value>::forward(const TilePass& pass) {
  const Layer& layout = parameters_.layout();
  const FeatureBlocks& cut = outputs_.cut;
  take_empty_cells(pass.row_count);
  write_levels(pass.row_count);
  if (outputs_.columns != nullptr && outputs_.source == LayerValues<Value>::Source::gathered)
    write_columns(pass.row_count);
  if (outputs_.rows == nullptr) return;
  const std::int64_t embedded = layout.piecewise_count() + layout.lookup_count();
  if (const std::int64_t last = cut.count() - 1; last >= 0)  // for its padding
    std::fill_n(outputs_.rows + cut.offset(last, pass.row_count), cut.padded(last) * pass.row_count, Value{0});
  for (std::int64_t number = 0; number < embedded; ++number) embed(number, pass.row_count);
  for (auto number = embedded; number < static_cast<std::int64_t>(layout.features.size()); ++number)
    write_rows(number, pass.row_count);
}

template <class Value>
Value* EncodingLayer<Value>::backward(const TilePass& pass, Value* gradients, Value*) {
  const Layer& layout = parameters_.layout();
  const FeatureBlocks& cut = outputs_.cut;
  const std::int64_t piecewise = layout.piecewise_count(), embedded = piecewise + layout.lookup_count();
  if (embedded == 0) return gradients;
  if (pass.tile->first) parameters_.clear_gradients();
  for (std::int64_t number = 0; number < embedded; ++number) {
    const EncodedFeature& feature = layout.features[static_cast<std::size_t>(number)];
    const std::int64_t block = feature.first_output / FeatureBlocks::width, stride = cut.padded(block);
    const Value* of_outputs =
        gradients + cut.offset(block, pass.row_count) + feature.first_output % FeatureBlocks::width;
    if (number < piecewise)
      kernels_.embed_gradient(values_of(number, pass.row_count), pass.count, of_outputs, stride,
                              parameters_.gradients_of(number, scratch_.unused_sums));
    else
      kernels_.look_up_gradient(bins_ + number * pass.row_count, pass.count, of_outputs, stride,
                                parameters_.table_gradients_of(feature));
  }
  if (pass.updates) parameters_.update();
  return gradients;
}

template class EncodingParameters<float>;
template class EncodingParameters<double>;
template class EncodingLayer<float>;
template class EncodingLayer<double>;

EncodingRows::EncodingRows(const Layer& layout, const FeatureScaling& scaling, LayerValues<float>& outputs,
                           Parameters<float>& parameters)
    : parameters_(layout, outputs, parameters), outputs_(outputs) {
  parameters_.set_scaling(scaling);
  outputs.source = LayerValues<float>::Source::rows;
}

void EncodingRows::lay_out_predictions(ArenaLayout& arena) {
  values_ = arena.take<float>(rows_at_once);
  places_ = arena.take<float>(rows_at_once);
  bins_ = arena.take<BinNumber<float>>(rows_at_once);
}

void EncodingRows::forward(const TilePass& pass) {
  const Layer& layout = parameters_.layout();
  const std::int64_t stride = outputs_.cut.total_columns(), embedded = layout.piecewise_count() + layout.lookup_count();
  for (std::int64_t begin = 0; begin < pass.row_count; begin += rows_at_once) {
    const std::int64_t count = std::min(rows_at_once, pass.row_count - begin);
    const float* features = pass.features + begin * layout.inputs;
    float* outputs = outputs_.rows + begin * stride;
    for (std::int64_t number = 0; number < embedded; ++number) embed(number, features, count, outputs);
    BinNumber<float>* levels = outputs_.levels + begin * outputs_.code_count();
    for (std::int64_t row = 0; row < count; ++row) {
      for (auto number = static_cast<std::size_t>(embedded); number < layout.features.size(); ++number)
        encode(number, features[layout.features[number].feature], outputs, levels);
      features += layout.inputs;
      outputs += stride;
      levels += outputs_.code_count();
    }
  }
}

// A feature that has weights. Its values are copied, because kernels read columns.
void EncodingRows::embed(std::int64_t number, const float* features, std::int64_t count, float* outputs) {
  const EncodedFeature& feature = parameters_.features()[static_cast<std::size_t>(number)];
  const std::int64_t stride = outputs_.cut.total_columns(), row_count = round_up(count, padding);
  const float* values = features + feature.feature;
  outputs += feature.first_output;
  if (feature.use == Use::lookup) {
    for (std::int64_t row = 0; row < count; ++row)
      bins_[row] = static_cast<BinNumber<float>>(level_of(feature, values[row * parameters_.layout().inputs]));
    kernels_.look_up(parameters_.table_of(feature), bins_, count, stride, outputs);
    return;
  }
  for (std::int64_t row = 0; row < count; ++row)
    values_[row] = parameters_.number_of(feature, values[row * parameters_.layout().inputs]);
  std::fill(values_ + count, values_ + row_count, 0.0f);
  kernels_.locate(parameters_.bins_of(number), values_, row_count, bins_, places_);
  kernels_.embed(parameters_.weights_of(number), {values_, bins_, places_}, count, stride, outputs);
}

// Writes the output or the level of a feature without weights.
void EncodingRows::encode(std::size_t number, float value, float* outputs, BinNumber<float>* levels) const {
  const EncodedFeature& feature = parameters_.features()[number];
  const std::int64_t place = parameters_.place_of(number);
  if (feature.use == Use::number)
    outputs[place] = parameters_.number_of(feature, value);
  else if (feature.use == Use::empty)
    outputs[place] = std::isnan(value) ? 1.0f : 0.0f;
  else
    levels[place] = table_row(feature, outputs_.codes[static_cast<std::size_t>(place)], value);
}

}  // namespace sheaf
