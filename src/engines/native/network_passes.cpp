// The passes of a tile of rows through a network: forward, loss, backward and the update.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "engines/native/network.hpp"

namespace sheaf {

template <class Value>
void NativeNetwork<Value>::multiply_by_columns(std::size_t index, Value* values) const {
  const Place& place = places_[index];
  const std::int64_t row_count = pass_->row_count, outputs = place.layer.outputs;
  for (std::int64_t block = 0; block < place.inputs.count(); ++block) {
    const Value* columns = place.columns + place.inputs.offset(block, row_count);
    const Value* weights = parameters_ + place.weights + place.inputs.offset(block, outputs);
    if (place.is_narrow())
      activation_.combine_columns(columns, place.inputs.columns(block), row_count, weights, place.inputs.padded(block),
                                  outputs, block > 0, values);
    else
      pass_->layers[index][static_cast<std::size_t>(block)].forward(columns, weights, values);
  }
}

template <class Value>
void NativeNetwork<Value>::multiply_by_rows(std::size_t index, Value* blocks) const {
  const Place& place = places_[index];
  const std::int64_t row_count = pass_->row_count;
  const BlockProducts* products = pass_->layers[index].data();
  for (std::int64_t output_block = 0; output_block < place.outputs.count(); ++output_block) {
    const Value* weights = parameters_ + place.block_weights(output_block);
    for (std::int64_t block = 0; block < place.inputs.count(); ++block)
      (products++)
          ->forward(weights + place.inputs.offset(block, place.outputs.padded(output_block)),
                    place.rows + place.inputs.offset(block, row_count),
                    blocks + place.outputs.offset(output_block, row_count));
  }
}

template <class Value>
void NativeNetwork<Value>::draw_mask(std::size_t index, const BatchPart& part) {
  const std::int64_t width = places_[index].layer.outputs;
  draw_dropout_mask(part.step, index, model_.dropout, part.begin * width, mask_, count_ * width);
}

template <class Value>
void NativeNetwork<Value>::columns_to_rows(const FeatureBlocks& cut, Value* columns, Value* rows) const {
  const std::int64_t row_count = pass_->row_count;
  std::fill(columns + cut.features * row_count, columns + cut.total_columns() * row_count, Value{0});
  for (std::int64_t block = 0; block < cut.count(); ++block) {
    const std::int64_t offset = cut.offset(block, row_count), padded = cut.padded(block);
    move_.transpose(columns + offset, row_count, padded, row_count, rows + offset, padded);
  }
}

template <class Value>
void NativeNetwork<Value>::rows_to_columns(const FeatureBlocks& cut, const Value* rows, Value* columns) const {
  const std::int64_t row_count = pass_->row_count;
  for (std::int64_t block = 0; block < cut.count(); ++block) {
    const std::int64_t offset = cut.offset(block, row_count), padded = cut.padded(block);
    move_.transpose(rows + offset, padded, row_count, padded, columns + offset, row_count);
  }
}

// Bias and activation of layer `index`, whose products stand in the next layer's columns.
template <class Value>
void NativeNetwork<Value>::activate_columns(std::size_t index, const BatchPart* part) {
  const Place& place = places_[index];
  const Place& next = places_[index + 1];
  const std::int64_t row_count = pass_->row_count, width = place.layer.outputs;
  const bool drops = part != nullptr && model_.dropout > 0;
  if (drops) {
    draw_mask(index, *part);
    // Rows of padding keep what an earlier tile left there, zeros and ones.
    move_floats_.transpose(mask_, width, row_count, round_up(width, 4), keep_, row_count);
  }
  activation_.activate(model_.activation, place.layer.bias ? parameters_ + place.bias : nullptr,
                       drops ? keep_ : nullptr, keep_scale(), width, row_count, next.columns,
                       part == nullptr ? nullptr : next.slopes);
  if (next.by_rows || (part != nullptr && next.wants_rows())) columns_to_rows(next.inputs, next.columns, next.rows);
}

// The same where they stand in its rows.
template <class Value>
void NativeNetwork<Value>::activate_rows(std::size_t index, const BatchPart* part) {
  const Place& place = places_[index];
  const Place& next = places_[index + 1];
  const bool drops = part != nullptr && model_.dropout > 0;
  if (drops) draw_mask(index, *part);
  for (std::int64_t block = 0; block < place.outputs.count(); ++block) {
    const std::int64_t offset = place.outputs.offset(block, pass_->row_count), first = block * FeatureBlocks::width;
    activation_.activate_rows(model_.activation, place.layer.bias ? parameters_ + place.bias + first : nullptr,
                              drops ? mask_ + first : nullptr, place.layer.outputs, keep_scale(),
                              place.outputs.columns(block), pass_->row_count, next.rows + offset,
                              part == nullptr ? nullptr : next.slopes + offset);
  }
  if (next.wants_columns()) rows_to_columns(next.inputs, next.rows, next.columns);
}

template <class Value>
void NativeNetwork<Value>::forward(const BatchPart* part) {
  for (std::size_t index = 0; index + 1 < places_.size(); ++index) {
    if (places_[index].by_rows) {
      multiply_by_rows(index, places_[index + 1].rows);
      activate_rows(index, part);
    } else {
      multiply_by_columns(index, places_[index + 1].columns);
      activate_columns(index, part);
    }
  }
  multiply_by_columns(places_.size() - 1, outputs_);
}

// Loss of the tile's outputs and, with a part, its gradients.
template <class Value>
double NativeNetwork<Value>::loss(const BatchPart* part) {
  const Place& last = places_.back();
  const Value scale = part == nullptr ? Value{0} : static_cast<Value>(part->gradient_scale);
  return loss_.loss(train_.loss, last.layer.bias ? parameters_ + last.bias : nullptr, {labels_, targets_, weights_},
                    scale, last.layer.outputs, pass_->row_count, part != nullptr && !part->first, outputs_,
                    part == nullptr ? nullptr : layer_gradients_[0], part == nullptr ? nullptr : bias_gradients(last));
}

// Where the sums of a layer's gradients over the rows go: a layer without bias has nowhere to keep them.
template <class Value>
Value* NativeNetwork<Value>::bias_gradients(const Place& place) const {
  return place.layer.bias ? gradients_ + place.bias : unused_gradients_;
}

template <class Value>
double NativeNetwork<Value>::train(const BatchPart& part, const GradientHook<Value>* hook) {
  hook_ = hook;
  if (part.last) updater_.begin_step(part.step.number, part.learning_rate);
  double sum = 0;
  if (goes_in_one_pass()) {
    sum = train_in_one_pass(part);
  } else {
    forward(&part);
    sum = loss(&part);
    backward(part);
  }
  if (part.last && hook != nullptr) {
    (*hook)(gradients_, parameter_count_);
    update(gradients_, 0, parameter_count_);
  }
  return sum;
}

// A small linear model's step is bound by the cache that its rows come from.
template <class Value>
bool NativeNetwork<Value>::goes_in_one_pass() const {
  return places_.size() == 1 && places_.front().is_narrow() && places_.front().inputs.count() == 1 &&
         train_.loss != LossKind::cross_entropy;
}

template <class Value>
double NativeNetwork<Value>::train_in_one_pass(const BatchPart& part) {
  const Place& place = places_.front();
  const std::int64_t padded = place.inputs.padded(0), outputs = place.layer.outputs;
  const double sum = linear_.loss(train_.loss,
                                  {place.columns, place.inputs.columns(0), outputs, parameters_ + place.weights, padded,
                                   place.layer.bias ? parameters_ + place.bias : nullptr},
                                  {labels_, targets_, weights_}, static_cast<Value>(part.gradient_scale),
                                  pass_->row_count, !part.first, gradients_ + place.weights, bias_gradients(place));
  if (!updates_by_pieces(part)) return sum;
  update(gradients_ + place.weights, place.weights, outputs * padded);
  if (place.layer.bias) update(gradients_ + place.bias, place.bias, round_up(outputs, padding));
  return sum;
}

template <class Value>
void NativeNetwork<Value>::backward(const BatchPart& part) {
  Value* gradients = layer_gradients_[0];
  Value* next = layer_gradients_[1];
  for (std::size_t index = places_.size(); index-- > 0;) {
    const Place& place = places_[index];
    if (index > 0) {
      if (place.by_rows)
        propagate_by_rows(index, gradients, next);
      else
        propagate_by_columns(index, gradients, next);
      finish_gradient(index, !part.first, next);
    }
    if (place.by_rows)
      update_weights_by_rows(index, gradients, part);
    else
      update_weights_by_columns(index, gradients, part);
    if (updates_by_pieces(part) && place.layer.bias)
      update(gradients_ + place.bias, place.bias, round_up(place.layer.outputs, padding));
    std::swap(gradients, next);
  }
}

// From gradients as columns to those of the inputs, as the layer before works.
template <class Value>
void NativeNetwork<Value>::propagate_by_columns(std::size_t index, const Value* gradients,
                                                Value* input_gradients) const {
  const Place& place = places_[index];
  for (std::int64_t block = 0; block < place.inputs.count(); ++block) {
    const Value* weights = parameters_ + place.weights + place.inputs.offset(block, place.layer.outputs);
    const auto& product = pass_->layers[index][static_cast<std::size_t>(block)].input_gradient;
    Value* to = input_gradients + place.inputs.offset(block, pass_->row_count);
    if (places_[index - 1].by_rows)
      product(weights, gradients, to);
    else
      product(gradients, weights, to);
  }
}

// From gradients as rows, by way of columns.
template <class Value>
void NativeNetwork<Value>::propagate_by_rows(std::size_t index, const Value* gradients, Value* input_gradients) const {
  const Place& place = places_[index];
  const std::int64_t row_count = pass_->row_count;
  const bool to_rows = places_[index - 1].by_rows;
  Value* columns = to_rows ? turned_[1] : input_gradients;
  rows_to_columns(place.outputs, gradients, turned_[0]);
  const BlockProducts* products = pass_->layers[index].data();
  for (std::int64_t output_block = 0; output_block < place.outputs.count(); ++output_block) {
    const Value* weights = parameters_ + place.block_weights(output_block);
    for (std::int64_t block = 0; block < place.inputs.count(); ++block)
      (products++)
          ->input_gradient(turned_[0] + place.outputs.offset(output_block, row_count),
                           weights + place.inputs.offset(block, place.outputs.padded(output_block)),
                           columns + place.inputs.offset(block, row_count));
  }
  if (to_rows) columns_to_rows(place.inputs, columns, input_gradients);
}

// From gradients of the inputs of layer `index` to those of the sums before the activation, and of their bias.
template <class Value>
void NativeNetwork<Value>::finish_gradient(std::size_t index, bool accumulate, Value* gradients) {
  const Place& place = places_[index];
  const Place& before = places_[index - 1];
  Value* sums = bias_gradients(before);
  if (!before.by_rows)
    return activation_.finish_gradient(place.slopes, place.layer.inputs, pass_->row_count, accumulate, gradients, sums);
  for (std::int64_t block = 0; block < place.inputs.count(); ++block) {
    const std::int64_t offset = place.inputs.offset(block, pass_->row_count);
    activation_.finish_gradient_rows(place.slopes + offset, place.inputs.padded(block), pass_->row_count, accumulate,
                                     gradients + offset, sums + block * FeatureBlocks::width);
  }
}

// Each piece of the gradient is used up while it is hot; it reaches memory only when a batch has several tiles.
template <class Value>
void NativeNetwork<Value>::update_weights_by_columns(std::size_t index, const Value* gradients, const BatchPart& part) {
  const Place& place = places_[index];
  const bool whole = part.first && updates_by_pieces(part);
  for (std::int64_t block = 0; block < place.inputs.count(); ++block) {
    const BlockProducts& products = pass_->layers[index][static_cast<std::size_t>(block)];
    const std::int64_t padded = place.inputs.padded(block);
    for (std::int64_t output = 0; output < place.layer.outputs; output += place.chunk) {
      const std::int64_t offset = place.weights + place.inputs.offset(block, place.layer.outputs) + output * padded;
      Value* to = whole ? weight_gradients_ : gradients_ + offset;
      weight_gradient(place, products, block, output, gradients + output * pass_->row_count, !part.first, to);
      if (updates_by_pieces(part)) update(to, offset, std::min(place.chunk, place.layer.outputs - output) * padded);
    }
  }
}

// Likewise, piece by piece of each block of inputs and of outputs.
template <class Value>
void NativeNetwork<Value>::update_weights_by_rows(std::size_t index, const Value* gradients, const BatchPart& part) {
  const Place& place = places_[index];
  const std::int64_t row_count = pass_->row_count;
  const bool whole = part.first && updates_by_pieces(part);
  const BlockProducts* products = pass_->layers[index].data();
  for (std::int64_t output_block = 0; output_block < place.outputs.count(); ++output_block) {
    const std::int64_t padded = place.outputs.padded(output_block);
    const Value* output_gradients = gradients + place.outputs.offset(output_block, row_count);
    for (std::int64_t block = 0; block < place.inputs.count(); ++block, ++products) {
      const Value* rows = place.rows + place.inputs.offset(block, row_count);
      const std::int64_t inputs = place.inputs.columns(block);
      std::int64_t offset = place.block_weights(output_block) + place.inputs.offset(block, padded);
      for (std::int64_t input = 0; input < inputs; input += place.chunk, offset += place.chunk * padded) {
        Value* to = whole ? weight_gradients_ : gradients_ + offset;
        products->weight_gradient_of(input + place.chunk >= inputs, !part.first)(output_gradients, rows + input, to);
        if (updates_by_pieces(part)) update(to, offset, std::min(place.chunk, inputs - input) * padded);
      }
    }
  }
}

template <class Value>
void NativeNetwork<Value>::weight_gradient(const Place& place, const BlockProducts& products, std::int64_t block,
                                           std::int64_t output, const Value* gradients, bool accumulate,
                                           Value* to) const {
  const std::int64_t offset = place.inputs.offset(block, pass_->row_count);
  const bool last = output + place.chunk >= place.layer.outputs;
  if (place.is_narrow()) {
    const std::int64_t columns = place.inputs.columns(block), padded = place.inputs.padded(block);
    activation_.dot_columns(place.columns + offset, columns, pass_->row_count, gradients, place.layer.outputs,
                            accumulate, to, padded);
    for (std::int64_t narrow = 0; narrow < place.layer.outputs; ++narrow)
      std::fill(to + narrow * padded + columns, to + (narrow + 1) * padded, Value{0});
  } else {
    products.weight_gradient_of(last, accumulate)(place.rows + offset, gradients, to);
  }
}

template <class Value>
void NativeNetwork<Value>::update(const Value* gradients, std::int64_t offset, std::int64_t count) {
  updater_(gradients, count, parameters_ + offset, first_ + offset, second_ + offset);
}

template <class Value>
double NativeNetwork<Value>::evaluate(float* outputs) {
  forward(nullptr);
  const double sum = loss(nullptr);
  const std::int64_t output_count = places_.back().layer.outputs;
  for (std::int64_t row = 0; row < count_; ++row)
    for (std::int64_t output = 0; output < output_count; ++output)
      *outputs++ = static_cast<float>(outputs_[output * pass_->row_count + row]);
  return sum;
}

template double NativeNetwork<float>::train(const BatchPart&, const GradientHook<float>*);
template double NativeNetwork<double>::train(const BatchPart&, const GradientHook<double>*);
template double NativeNetwork<float>::evaluate(float*);
template double NativeNetwork<double>::evaluate(float*);

}  // namespace sheaf
