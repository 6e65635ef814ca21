// The passes of a tile of rows through a network: forward, loss, backward and the update.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "engines/native/network.hpp"

namespace sheaf {

template <class Value>
void NativeNetwork<Value>::multiply_by_columns(std::size_t index, Value* values) const {
  const LayerMemory& layer = layers_[index];
  const std::int64_t row_count = products_->row_count, outputs = layer.layout.outputs;
  for (std::int64_t block = 0; block < layer.inputs.count(); ++block) {
    const Value* columns = layer.columns + layer.inputs.offset(block, row_count);
    const Value* weights = parameters_ + layer.weights + layer.inputs.offset(block, outputs);
    if (layer.is_narrow())
      activation_.combine_columns(columns, layer.inputs.columns(block), row_count, weights, layer.inputs.padded(block),
                                  outputs, block > 0, values);
    else
      products_->layers[index][static_cast<std::size_t>(block)].forward(columns, weights, values);
  }
}

template <class Value>
void NativeNetwork<Value>::multiply_by_rows(std::size_t index, Value* blocks) const {
  const LayerMemory& layer = layers_[index];
  const std::int64_t row_count = products_->row_count;
  const BlockProducts* products = products_->layers[index].data();
  for (std::int64_t output_block = 0; output_block < layer.outputs.count(); ++output_block) {
    const Value* weights = parameters_ + layer.block_weights(output_block);
    for (std::int64_t block = 0; block < layer.inputs.count(); ++block)
      (products++)
          ->forward(weights + layer.inputs.offset(block, layer.outputs.padded(output_block)),
                    layer.rows + layer.inputs.offset(block, row_count),
                    blocks + layer.outputs.offset(output_block, row_count));
  }
}

template <class Value>
void NativeNetwork<Value>::draw_mask(std::size_t index, const BatchTile& tile) {
  const std::int64_t width = layers_[index].layout.outputs;
  draw_dropout_mask(tile.step, index, dropout_, tile.begin * width, mask_, count_ * width);
}

template <class Value>
void NativeNetwork<Value>::columns_to_rows(const FeatureBlocks& cut, Value* columns, Value* rows) const {
  const std::int64_t row_count = products_->row_count;
  std::fill(columns + cut.features * row_count, columns + cut.total_columns() * row_count, Value{0});
  for (std::int64_t block = 0; block < cut.count(); ++block) {
    const std::int64_t offset = cut.offset(block, row_count), padded = cut.padded(block);
    move_.transpose(columns + offset, row_count, padded, row_count, rows + offset, padded);
  }
}

template <class Value>
void NativeNetwork<Value>::rows_to_columns(const FeatureBlocks& cut, const Value* rows, Value* columns) const {
  const std::int64_t row_count = products_->row_count;
  for (std::int64_t block = 0; block < cut.count(); ++block) {
    const std::int64_t offset = cut.offset(block, row_count), padded = cut.padded(block);
    move_.transpose(rows + offset, padded, row_count, padded, columns + offset, row_count);
  }
}

// Applies the bias and activation of layer `index` to its products, which are in the columns of the next layer.
template <class Value>
void NativeNetwork<Value>::activate_columns(std::size_t index, const BatchTile* tile) {
  const LayerMemory& layer = layers_[index];
  const LayerMemory& next = layers_[index + 1];
  const std::int64_t row_count = products_->row_count, width = layer.layout.outputs;
  const bool drops = tile != nullptr && dropout_ > 0;
  if (drops) {
    draw_mask(index, *tile);
    // Padding rows contain values from earlier tiles, which are zeros and ones.
    move_floats_.transpose(mask_, width, row_count, round_up(width, 4), keep_, row_count);
  }
  activation_.activate(function_, layer.layout.bias ? parameters_ + layer.bias : nullptr, drops ? keep_ : nullptr,
                       keep_scale(), width, row_count, next.columns, tile == nullptr ? nullptr : next.slopes);
  if (next.by_rows || (tile != nullptr && next.needs_rows())) columns_to_rows(next.inputs, next.columns, next.rows);
}

// The same for products in the rows of the next layer.
template <class Value>
void NativeNetwork<Value>::activate_rows(std::size_t index, const BatchTile* tile) {
  const LayerMemory& layer = layers_[index];
  const LayerMemory& next = layers_[index + 1];
  const bool drops = tile != nullptr && dropout_ > 0;
  if (drops) draw_mask(index, *tile);
  for (std::int64_t block = 0; block < layer.outputs.count(); ++block) {
    const std::int64_t offset = layer.outputs.offset(block, products_->row_count), first = block * FeatureBlocks::width;
    activation_.activate_rows(function_, layer.layout.bias ? parameters_ + layer.bias + first : nullptr,
                              drops ? mask_ + first : nullptr, layer.layout.outputs, keep_scale(),
                              layer.outputs.columns(block), products_->row_count, next.rows + offset,
                              tile == nullptr ? nullptr : next.slopes + offset);
  }
  if (next.needs_columns()) rows_to_columns(next.inputs, next.rows, next.columns);
}

template <class Value>
void NativeNetwork<Value>::forward(const BatchTile* tile) {
  for (std::size_t index = 0; index + 1 < layers_.size(); ++index) {
    if (layers_[index].by_rows) {
      multiply_by_rows(index, layers_[index + 1].rows);
      activate_rows(index, tile);
    } else {
      multiply_by_columns(index, layers_[index + 1].columns);
      activate_columns(index, tile);
    }
  }
  multiply_by_columns(layers_.size() - 1, outputs_);
}

// The loss of the tile's outputs. Also computes the gradients if `tile` is not null.
template <class Value>
double NativeNetwork<Value>::loss(const BatchTile* tile) {
  const LayerMemory& last = layers_.back();
  const std::int64_t row_count = products_->row_count, output_count = last.layout.outputs;
  const Value scale = tile == nullptr ? Value{0} : static_cast<Value>(tile->gradient_scale);
  const auto of_outputs = [&](std::int64_t first, std::int64_t count) {
    const std::int64_t offset = first * row_count;
    return loss_.loss(loss_kind_, last.layout.bias ? parameters_ + last.bias + first : nullptr,
                      {labels_, targets_ + offset, weights_}, scale, count, row_count, tile != nullptr && !tile->first,
                      outputs_ + offset, tile == nullptr ? nullptr : layer_gradients_[0] + offset,
                      tile == nullptr ? nullptr : bias_gradients(last) + first);
  };
  return target_scaling_->is_active() ? sum_in_target_units(of_outputs) : of_outputs(0, output_count);
}

// Sums the squared errors of the outputs, which have different units.
template <class Value>
template <class LossOfOutputs>
double NativeNetwork<Value>::sum_in_target_units(const LossOfOutputs& of_outputs) const {
  double sum = 0;
  for (std::int64_t output = 0; output < layers_.back().layout.outputs; ++output)
    sum += target_scaling_->squared_unit(output) * of_outputs(output, 1);
  return sum;
}

// The array for the bias gradients of a layer; a scratch array if it has no bias.
template <class Value>
Value* NativeNetwork<Value>::bias_gradients(const LayerMemory& layer) const {
  return layer.layout.bias ? gradients_ + layer.bias : unused_gradients_;
}

template <class Value>
double NativeNetwork<Value>::train(const BatchTile& tile, const GradientHook<Value>* hook) {
  hook_ = hook;
  if (tile.last) updater_->begin_step(tile.step.number, tile.learning_rate);
  double sum = 0;
  if (can_train_in_one_pass()) {
    sum = train_in_one_pass(tile);
  } else {
    forward(&tile);
    sum = loss(&tile);
    backward(tile);
  }
  if (tile.last && hook != nullptr) {
    (*hook)(gradients_, parameter_count_);
    update(gradients_, 0, parameter_count_);
  }
  return sum;
}

// One pass is faster for small linear models, whose steps are bound by the bandwidth of the cache.
template <class Value>
bool NativeNetwork<Value>::can_train_in_one_pass() const {
  return layers_.size() == 1 && layers_.front().is_narrow() && layers_.front().inputs.count() == 1 &&
         loss_kind_ != LossKind::cross_entropy;
}

template <class Value>
double NativeNetwork<Value>::train_in_one_pass(const BatchTile& tile) {
  const LayerMemory& layer = layers_.front();
  const std::int64_t padded = layer.inputs.padded(0), outputs = layer.layout.outputs;
  const auto of_outputs = [&](std::int64_t first, std::int64_t count) {
    return linear_.loss(loss_kind_,
                        {layer.columns, layer.inputs.columns(0), count, parameters_ + layer.weights + first * padded,
                         padded, layer.layout.bias ? parameters_ + layer.bias + first : nullptr},
                        {labels_, targets_ + first * products_->row_count, weights_},
                        static_cast<Value>(tile.gradient_scale), products_->row_count, !tile.first,
                        gradients_ + layer.weights + first * padded, bias_gradients(layer) + first);
  };
  const double sum = target_scaling_->is_active() ? sum_in_target_units(of_outputs) : of_outputs(0, outputs);
  if (!updates_by_groups(tile)) return sum;
  update(gradients_ + layer.weights, layer.weights, outputs * padded);
  if (layer.layout.bias) update(gradients_ + layer.bias, layer.bias, round_up(outputs, padding));
  return sum;
}

template <class Value>
void NativeNetwork<Value>::backward(const BatchTile& tile) {
  Value* gradients = layer_gradients_[0];
  Value* next = layer_gradients_[1];
  for (std::size_t index = layers_.size(); index-- > 0;) {
    const LayerMemory& layer = layers_[index];
    if (index > 0) {
      if (layer.by_rows)
        propagate_by_rows(index, gradients, next);
      else
        propagate_by_columns(index, gradients, next);
      finish_gradient(index, !tile.first, next);
    }
    if (layer.by_rows)
      update_weights_by_rows(index, gradients, tile);
    else
      update_weights_by_columns(index, gradients, tile);
    if (updates_by_groups(tile) && layer.layout.bias)
      update(gradients_ + layer.bias, layer.bias, round_up(layer.layout.outputs, padding));
    std::swap(gradients, next);
  }
}

// Computes the gradients of the inputs, in the layout of the previous layer, from gradients stored as columns.
template <class Value>
void NativeNetwork<Value>::propagate_by_columns(std::size_t index, const Value* gradients,
                                                Value* input_gradients) const {
  const LayerMemory& layer = layers_[index];
  for (std::int64_t block = 0; block < layer.inputs.count(); ++block) {
    const Value* weights = parameters_ + layer.weights + layer.inputs.offset(block, layer.layout.outputs);
    const auto& product = products_->layers[index][static_cast<std::size_t>(block)].input_gradient;
    Value* to = input_gradients + layer.inputs.offset(block, products_->row_count);
    if (layers_[index - 1].by_rows)
      product(weights, gradients, to);
    else
      product(gradients, weights, to);
  }
}

// The same for gradients stored as rows, which are first transposed to columns.
template <class Value>
void NativeNetwork<Value>::propagate_by_rows(std::size_t index, const Value* gradients, Value* input_gradients) const {
  const LayerMemory& layer = layers_[index];
  const std::int64_t row_count = products_->row_count;
  const bool to_rows = layers_[index - 1].by_rows;
  Value* columns = to_rows ? transposed_[1] : input_gradients;
  rows_to_columns(layer.outputs, gradients, transposed_[0]);
  const BlockProducts* products = products_->layers[index].data();
  for (std::int64_t output_block = 0; output_block < layer.outputs.count(); ++output_block) {
    const Value* weights = parameters_ + layer.block_weights(output_block);
    for (std::int64_t block = 0; block < layer.inputs.count(); ++block)
      (products++)
          ->input_gradient(transposed_[0] + layer.outputs.offset(output_block, row_count),
                           weights + layer.inputs.offset(block, layer.outputs.padded(output_block)),
                           columns + layer.inputs.offset(block, row_count));
  }
  if (to_rows) columns_to_rows(layer.inputs, columns, input_gradients);
}

// Multiplies the gradients of the inputs of layer `index` by the derivatives of the activation before it, and computes
// the bias gradients of the previous layer.
template <class Value>
void NativeNetwork<Value>::finish_gradient(std::size_t index, bool accumulate, Value* gradients) {
  const LayerMemory& layer = layers_[index];
  const LayerMemory& before = layers_[index - 1];
  Value* sums = bias_gradients(before);
  if (!before.by_rows)
    return activation_.finish_gradient(layer.slopes, layer.layout.inputs, products_->row_count, accumulate, gradients,
                                       sums);
  for (std::int64_t block = 0; block < layer.inputs.count(); ++block) {
    const std::int64_t offset = layer.inputs.offset(block, products_->row_count);
    activation_.finish_gradient_rows(layer.slopes + offset, layer.inputs.padded(block), products_->row_count,
                                     accumulate, gradients + offset, sums + block * FeatureBlocks::width);
  }
}

// Uses each group of gradients while it is in the cache. Gradients are written to memory only if the batch has several
// tiles or a hook.
template <class Value>
void NativeNetwork<Value>::update_weights_by_columns(std::size_t index, const Value* gradients, const BatchTile& tile) {
  const LayerMemory& layer = layers_[index];
  const bool whole = tile.first && updates_by_groups(tile);
  for (std::int64_t block = 0; block < layer.inputs.count(); ++block) {
    const BlockProducts& products = products_->layers[index][static_cast<std::size_t>(block)];
    const std::int64_t padded = layer.inputs.padded(block);
    for (std::int64_t output = 0; output < layer.layout.outputs; output += layer.group) {
      const std::int64_t offset = layer.weights + layer.inputs.offset(block, layer.layout.outputs) + output * padded;
      Value* to = whole ? weight_gradients_ : gradients_ + offset;
      weight_gradient(layer, products, block, output, gradients + output * products_->row_count, !tile.first, to);
      if (updates_by_groups(tile)) update(to, offset, std::min(layer.group, layer.layout.outputs - output) * padded);
    }
  }
}

// The same, with the groups of each block of inputs and outputs.
template <class Value>
void NativeNetwork<Value>::update_weights_by_rows(std::size_t index, const Value* gradients, const BatchTile& tile) {
  const LayerMemory& layer = layers_[index];
  const std::int64_t row_count = products_->row_count;
  const bool whole = tile.first && updates_by_groups(tile);
  const BlockProducts* products = products_->layers[index].data();
  for (std::int64_t output_block = 0; output_block < layer.outputs.count(); ++output_block) {
    const std::int64_t padded = layer.outputs.padded(output_block);
    const Value* output_gradients = gradients + layer.outputs.offset(output_block, row_count);
    for (std::int64_t block = 0; block < layer.inputs.count(); ++block, ++products) {
      const Value* rows = layer.rows + layer.inputs.offset(block, row_count);
      const std::int64_t inputs = layer.inputs.columns(block);
      std::int64_t offset = layer.block_weights(output_block) + layer.inputs.offset(block, padded);
      for (std::int64_t input = 0; input < inputs; input += layer.group, offset += layer.group * padded) {
        Value* to = whole ? weight_gradients_ : gradients_ + offset;
        products->weight_gradient_of(input + layer.group >= inputs, !tile.first)(output_gradients, rows + input, to);
        if (updates_by_groups(tile)) update(to, offset, std::min(layer.group, inputs - input) * padded);
      }
    }
  }
}

template <class Value>
void NativeNetwork<Value>::weight_gradient(const LayerMemory& layer, const BlockProducts& products, std::int64_t block,
                                           std::int64_t output, const Value* gradients, bool accumulate,
                                           Value* to) const {
  const std::int64_t offset = layer.inputs.offset(block, products_->row_count);
  const bool last = output + layer.group >= layer.layout.outputs;
  if (layer.is_narrow()) {
    const std::int64_t columns = layer.inputs.columns(block), padded = layer.inputs.padded(block);
    activation_.dot_columns(layer.columns + offset, columns, products_->row_count, gradients, layer.layout.outputs,
                            accumulate, to, padded);
    for (std::int64_t narrow = 0; narrow < layer.layout.outputs; ++narrow)
      std::fill(to + narrow * padded + columns, to + (narrow + 1) * padded, Value{0});
  } else {
    products.weight_gradient_of(last, accumulate)(layer.rows + offset, gradients, to);
  }
}

template <class Value>
void NativeNetwork<Value>::update(const Value* gradients, std::int64_t offset, std::int64_t count) {
  (*updater_)(gradients, count, parameters_ + offset, first_ + offset, second_ + offset);
}

template <class Value>
double NativeNetwork<Value>::evaluate(float* outputs) {
  forward(nullptr);
  const double sum = loss(nullptr);
  const std::int64_t output_count = layers_.back().layout.outputs;
  float* next = outputs;
  for (std::int64_t row = 0; row < count_; ++row)
    for (std::int64_t output = 0; output < output_count; ++output)
      *next++ = static_cast<float>(outputs_[output * products_->row_count + row]);
  to_target_units(*target_scaling_, count_, outputs);
  return sum;
}

template double NativeNetwork<float>::train(const BatchTile&, const GradientHook<float>*);
template double NativeNetwork<double>::train(const BatchTile&, const GradientHook<double>*);
template double NativeNetwork<float>::evaluate(float*);
template double NativeNetwork<double>::evaluate(float*);

}  // namespace sheaf
