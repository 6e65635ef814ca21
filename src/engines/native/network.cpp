// SPDX-License-Identifier: MIT
#include "engines/native/network.hpp"

#include <algorithm>
#include <cassert>

#include "engines/native/layers/activation_layer.hpp"
#include "engines/native/layers/dense_rows.hpp"
#include "engines/native/layers/layers_refusal.hpp"
#include "engines/native/layers/norms.hpp"

namespace sheaf {
namespace {

// Whether the row numbers are consecutive. Checks all of them only if the first and the last one fit.
bool are_consecutive(const std::int64_t* rows, std::int64_t count) {
  const std::int64_t first = rows[0];
  if (rows[count - 1] - first != count - 1) return false;
  std::int64_t differences = 0;
  for (std::int64_t index = 0; index < count; ++index) differences |= rows[index] - first - index;
  return differences == 0;
}

RowSource from_row(RowSource source, std::int64_t row) {
  if (source.features != nullptr)
    source.features += row * source.feature_count;
  else
    source.bytes += row * source.feature_count;
  return source;
}

}  // namespace

template <class Value>
NativeNetwork<Value>::NativeNetwork(const NetworkShape& shape, std::int64_t max_rows)
    : parameters_(shape.optimizer_states, shape.averages) {
  const std::vector<Layer>& layers = shape.layers;
  require_layers(layers);
  scratch_.drops = shape.drops;
  values_.reserve(layers.size() + 1);  // layers have references to its elements
  values_.emplace_back();
  values_.back().cut.features = layers.front().inputs;
  ShiftOffset shift;
  for (std::size_t index = 0; index < layers.size(); ++index) {
    shift = add_layer(layers[index], shift, index + 1 == layers.size());
    if (layers[index].activated) {
      chain_.push_back(std::make_unique<ActivationLayer<Value>>(index, values_.back(), shift, parameters_, scratch_));
      shift.reset();
    }
  }
  loss_ = std::make_unique<OutputLoss<Value>>(values_.back(), shift, parameters_, scratch_);
  ArenaLayout sizes;
  lay_out(sizes, round_up(max_rows, padding));
  arena_ = Arena(sizes.bytes());
  ArenaLayout arrays(arena_.data());
  lay_out(arrays, round_up(max_rows, padding));
}

// `bias`: that of the layer before. Returns the shift that the next layer adds.
template <class Value>
ShiftOffset NativeNetwork<Value>::add_layer(const Layer& layer, ShiftOffset bias, bool last) {
  if (layer.is_norm()) return add_norm(layer, bias);
  return layer.is_encoding() ? add_encoding(layer) : add_dense(layer, last);
}

// It adds its bias itself.
template <class Value>
ShiftOffset NativeNetwork<Value>::add_encoding(const Layer& layer) {
  LayerValues<Value>& inputs = values_.back();
  LayerValues<Value>& outputs = values_.emplace_back();
  auto encoding = std::make_unique<EncodingLayer<Value>>(layer, inputs, outputs, parameters_, scratch_);
  encoding_ = encoding.get();
  chain_.push_back(std::move(encoding));
  return std::nullopt;
}

// Returns the layer's bias.
template <class Value>
ShiftOffset NativeNetwork<Value>::add_dense(const Layer& layer, bool last) {
  LayerValues<Value>& inputs = values_.back();
  LayerValues<Value>& outputs = values_.emplace_back();
  outputs.cut.features = layer.outputs;
  if (!last && DenseRows<Value>::fills_vectors(layer.outputs)) {
    auto dense = std::make_unique<DenseRows<Value>>(layer, inputs, outputs, parameters_, scratch_);
    const ShiftOffset shift = dense->shift();
    chain_.push_back(std::move(dense));
    return shift;
  }
  auto dense = std::make_unique<DenseColumns<Value>>(layer, inputs, outputs, parameters_, scratch_);
  if (last && dense->can_train_in_one_pass()) linear_ = dense.get();
  const ShiftOffset shift = dense->shift();
  chain_.push_back(std::move(dense));
  return shift;
}

// Returns its own shift.
template <class Value>
ShiftOffset NativeNetwork<Value>::add_norm(const Layer& layer, ShiftOffset bias) {
  auto [norm, shift] = make_norm(layer, values_.back(), bias, parameters_, scratch_);
  chain_.push_back(std::move(norm));
  return shift;
}

template <class Value>
void NativeNetwork<Value>::lay_out(ArenaLayout& arena, std::int64_t max_rows) {
  parameters_.lay_out(arena, true);
  for (LayerValues<Value>& values : values_) values.lay_out(arena, max_rows);
  for (const auto& layer : chain_) layer->lay_out(arena, max_rows);
  scratch_.lay_out(arena, max_rows);
  loss_->lay_out(arena, max_rows);
}

template <class Value>
void NativeNetwork<Value>::set_options(const ModelOptions& model, const TrainOptions& train) {
  for (const auto& layer : chain_) layer->set_options(model);
  loss_->set_loss(train);
  parameters_.set_optimizer(train);
}

template <class Value>
void NativeNetwork<Value>::reserve(std::int64_t count) {
  const std::int64_t row_count = round_up(count, padding);
  if (std::find(row_counts_.begin(), row_counts_.end(), row_count) != row_counts_.end()) return;
  for (const auto& layer : chain_) layer->reserve(row_count);
  row_counts_.push_back(row_count);
}

template <class Value>
void NativeNetwork<Value>::load(const std::vector<float>& weights, const DataSet& data, const FeatureScaling& scaling,
                                const TargetScaling& targets, const std::vector<double>& class_weights) {
  parameters_.load(chain_, weights);
  if (encoding_ != nullptr) encoding_->set_scaling(scaling);
  for_each_buffer([](const Buffer<Value>& buffer) { std::fill_n(buffer.values, buffer.count, buffer.initial); });
  const bool scaled = !scaling.shift.empty();
  source_.shift = scaled ? scaling.shift.data() : nullptr;
  source_.scale = scaled ? scaling.scale.data() : nullptr;
  source_.clip = scaling.clip.empty() ? nullptr : scaling.clip.data();
  source_.fill = data.has_empty_cells() ? scaling.fill.data() : nullptr;
  loss_->set_scaling(targets);
  loss_->set_class_weights(class_weights);
  read_from(data);
}

template <class Value>
void NativeNetwork<Value>::save(ByteWriter& state) const {
  parameters_.save(state);
  for_each_buffer([&](const Buffer<Value>& buffer) { state.put_array(buffer.values, buffer.count); });
}

template <class Value>
void NativeNetwork<Value>::restore(ByteReader& state) {
  parameters_.restore(state);
  for_each_buffer([&](const Buffer<Value>& buffer) { state.get_array(buffer.values, buffer.count); });
}

template <class Value>
NetworkState NativeNetwork<Value>::state() const {
  NetworkState state{parameters_.list(chain_), {}};
  for_each_buffer([&](const Buffer<Value>& buffer) {
    state.buffers.insert(state.buffers.end(), buffer.values, buffer.values + buffer.count);
  });
  return state;
}

template <class Value>
void NativeNetwork<Value>::for_each_buffer(const BufferUse<Value>& use) const {
  for (const auto& layer : chain_) layer->for_each_buffer(use);
}

template <class Value>
void NativeNetwork<Value>::read_from(const DataSet& data) {
  data_ = &data;
  source_.features = data.features;
  source_.bytes = data.byte_features;
  source_.feature_count = data.feature_count;
}

template <class Value>
void NativeNetwork<Value>::gather(const std::int64_t* rows, std::int64_t count, bool weighted) {
  const std::int64_t row_count = round_up(count, padding);
  const auto found = std::find(row_counts_.begin(), row_counts_.end(), row_count);
  assert(found != row_counts_.end());
  tile_.count = count;
  tile_.row_count = row_count;
  tile_.shape = static_cast<std::size_t>(found - row_counts_.begin());
  const LayerValues<Value>& inputs = values_.front();
  const bool in_order = are_consecutive(rows, count);
  move_.gather(in_order ? from_row(source_, rows[0]) : source_, in_order ? nullptr : rows, count, row_count,
               inputs.rows, inputs.columns);
  loss_->gather(*data_, rows, count, row_count, in_order, weighted);
}

template <class Value>
double NativeNetwork<Value>::train(const BatchTile& tile, const GradientHook<Value>* hook) {
  TilePass pass = tile_;
  pass.tile = &tile;
  pass.updates = tile.last && hook == nullptr;
  if (tile.last) parameters_.begin_step(tile.step.number, tile.learning_rate);
  const bool in_one_pass = linear_ != nullptr && loss_of(loss_->kind()).is_per_output();
  if (in_one_pass && encoding_ != nullptr) encoding_->forward(pass);
  const double sum = in_one_pass ? linear_->train_in_one_pass(pass, *loss_) : train_layers(pass);
  if (tile.last && hook != nullptr) {
    (*hook)(parameters_);
    parameters_.update(parameters_.gradients_at(0), 0, parameters_.count());
  }
  if (tile.last) parameters_.end_step(tile.step.number);
  return sum;
}

template <class Value>
double NativeNetwork<Value>::train_layers(const TilePass& pass) {
  for (const auto& layer : chain_) layer->forward(pass);
  Value* gradients = scratch_.gradients[0];
  Value* spare = scratch_.gradients[1];
  const double sum = (*loss_)(pass, gradients);
  for (auto layer = chain_.rbegin(); layer != chain_.rend(); ++layer)
    if ((*layer)->backward(pass, gradients, spare) == spare) std::swap(gradients, spare);
  return sum;
}

template <class Value>
double NativeNetwork<Value>::evaluate(float* outputs) {
  for (const auto& layer : chain_) layer->forward(tile_);
  const double sum = (*loss_)(tile_, nullptr);
  loss_->copy_outputs(tile_, outputs);
  return sum;
}

template class NativeNetwork<float>;
template class NativeNetwork<double>;

}  // namespace sheaf
