// The passes of a tile of rows through a network: forward, loss, backward and the update.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "engine/resident/network.hpp"

namespace sheaf {

template <class Value>
void ResidentNetwork<Value>::multiply(std::size_t index, Value* values) const {
  const Place& place = places_[index];
  const std::int64_t row_count = pass_->row_count, outputs = place.layer.outputs;
  for (std::int64_t block = 0; block < place.blocks.count(); ++block) {
    const Value* columns = place.columns + place.blocks.offset(block, row_count);
    const Value* weights = parameters_ + place.weights + place.blocks.offset(block, outputs);
    if (is_narrow(place))
      activation_.combine_columns(columns, place.blocks.columns(block), row_count, weights, place.blocks.padded(block),
                                  outputs, block > 0, values);
    else
      pass_->layers[index][static_cast<std::size_t>(block)].forward(columns, weights, values);
  }
}

template <class Value>
const float* ResidentNetwork<Value>::draw_keep(std::size_t index, const BatchPart& part) {
  if (model_.dropout <= 0) return nullptr;
  const std::int64_t width = places_[index].layer.outputs, row_count = pass_->row_count;
  draw_dropout_mask(part.step, index, model_.dropout, part.begin * width, mask_, slot_->count * width);
  // Rows of padding keep what an earlier tile left there, zeros and ones.
  move_floats_.transpose(mask_, width, row_count, round_up(width, 4), keep_, row_count);
  return keep_;
}

// Bias and activation of layer `index`, whose products stand in the next layer's columns.
template <class Value>
void ResidentNetwork<Value>::activate(std::size_t index, const BatchPart* part) {
  const Place& place = places_[index];
  const Place& next = places_[index + 1];
  const std::int64_t row_count = pass_->row_count, columns = next.blocks.features;
  const float* keep = part == nullptr ? nullptr : draw_keep(index, *part);
  activation_.activate(model_.activation, place.layer.bias ? parameters_ + place.bias : nullptr, keep,
                       static_cast<Value>(1 / (1 - model_.dropout)), columns, row_count, next.columns,
                       part == nullptr ? nullptr : next.slopes);
  if (part == nullptr || is_narrow(next)) return;
  std::fill(next.columns + columns * row_count, next.columns + next.blocks.total_columns() * row_count, Value{0});
  for (std::int64_t block = 0; block < next.blocks.count(); ++block) {
    const std::int64_t padded = next.blocks.padded(block);
    move_.transpose(next.columns + next.blocks.offset(block, row_count), row_count, padded, row_count,
                    next.rows + next.blocks.offset(block, row_count), padded);
  }
}

template <class Value>
void ResidentNetwork<Value>::forward(const BatchPart* part) {
  for (std::size_t index = 0; index + 1 < places_.size(); ++index) {
    multiply(index, places_[index + 1].columns);
    activate(index, part);
  }
  multiply(places_.size() - 1, outputs_);
}

// Loss of the tile's outputs and, with a part, its gradients.
template <class Value>
double ResidentNetwork<Value>::loss(const BatchPart* part) {
  const Place& last = places_.back();
  const Value scale = part == nullptr ? Value{0} : static_cast<Value>(part->gradient_scale);
  return loss_.loss(train_.loss, last.layer.bias ? parameters_ + last.bias : nullptr,
                    {slot_->labels, slot_->targets, slot_->weights}, scale, last.layer.outputs, pass_->row_count,
                    part != nullptr && !part->first, outputs_, part == nullptr ? nullptr : layer_gradients_[0],
                    part == nullptr ? nullptr : bias_gradients(last));
}

// Where the sums of a layer's gradients over the rows go: a layer without bias has nowhere to keep them.
template <class Value>
Value* ResidentNetwork<Value>::bias_gradients(const Place& place) const {
  return place.layer.bias ? gradients_ + place.bias : unused_gradients_;
}

template <class Value>
double ResidentNetwork<Value>::train(const BatchPart& part) {
  if (part.last) updater_.begin_step(part.step.number);
  if (goes_in_one_pass()) return train_in_one_pass(part);
  forward(&part);
  const double sum = loss(&part);
  backward(part);
  return sum;
}

// A small linear model's step is bound by the cache that its rows come from.
template <class Value>
bool ResidentNetwork<Value>::goes_in_one_pass() const {
  return places_.size() == 1 && is_narrow(places_.front()) && places_.front().blocks.count() == 1 &&
         train_.loss != LossKind::cross_entropy;
}

template <class Value>
double ResidentNetwork<Value>::train_in_one_pass(const BatchPart& part) {
  const Place& place = places_.front();
  const std::int64_t padded = place.blocks.padded(0), outputs = place.layer.outputs;
  const double sum =
      loss_.linear_loss(train_.loss,
                        {place.columns, place.blocks.columns(0), outputs, parameters_ + place.weights, padded,
                         place.layer.bias ? parameters_ + place.bias : nullptr},
                        {slot_->labels, slot_->targets, slot_->weights}, static_cast<Value>(part.gradient_scale),
                        pass_->row_count, !part.first, gradients_ + place.weights, bias_gradients(place));
  if (!part.last) return sum;
  update(gradients_ + place.weights, place.weights, outputs * padded);
  if (place.layer.bias) update(gradients_ + place.bias, place.bias, round_up(outputs, padding));
  return sum;
}

template <class Value>
void ResidentNetwork<Value>::backward(const BatchPart& part) {
  Value* gradients = layer_gradients_[0];
  Value* next = layer_gradients_[1];
  for (std::size_t index = places_.size(); index-- > 0;) {
    const Place& place = places_[index];
    if (index > 0) {
      propagate(index, gradients, next);
      activation_.finish_gradient(place.slopes, place.layer.inputs, pass_->row_count, !part.first, next,
                                  bias_gradients(places_[index - 1]));
    }
    update_weights(index, gradients, part);
    if (part.last && place.layer.bias)
      update(gradients_ + place.bias, place.bias, round_up(place.layer.outputs, padding));
    std::swap(gradients, next);
  }
}

template <class Value>
void ResidentNetwork<Value>::propagate(std::size_t index, const Value* gradients, Value* input_gradients) const {
  const Place& place = places_[index];
  const auto& products = pass_->layers[index];
  for (std::int64_t block = 0; block < place.blocks.count(); ++block)
    products[static_cast<std::size_t>(block)].input_gradient(
        gradients, parameters_ + place.weights + place.blocks.offset(block, place.layer.outputs),
        input_gradients + place.blocks.offset(block, pass_->row_count));
}

// Each piece of the gradient is used up while it is hot; it reaches memory only when a batch has several tiles.
template <class Value>
void ResidentNetwork<Value>::update_weights(std::size_t index, const Value* gradients, const BatchPart& part) {
  const Place& place = places_[index];
  const bool whole = part.first && part.last;
  for (std::int64_t block = 0; block < place.blocks.count(); ++block) {
    const BlockProducts& products = pass_->layers[index][static_cast<std::size_t>(block)];
    const std::int64_t padded = place.blocks.padded(block);
    for (std::int64_t output = 0; output < place.layer.outputs; output += place.chunk) {
      const std::int64_t offset = place.weights + place.blocks.offset(block, place.layer.outputs) + output * padded;
      Value* to = whole ? weight_gradients_ : gradients_ + offset;
      weight_gradient(place, products, block, output, gradients + output * pass_->row_count, !part.first, to);
      if (part.last) update(to, offset, std::min(place.chunk, place.layer.outputs - output) * padded);
    }
  }
}

template <class Value>
void ResidentNetwork<Value>::weight_gradient(const Place& place, const BlockProducts& products, std::int64_t block,
                                             std::int64_t output, const Value* gradients, bool accumulate,
                                             Value* to) const {
  const std::int64_t offset = place.blocks.offset(block, pass_->row_count);
  const bool last = output + place.chunk >= place.layer.outputs;
  if (is_narrow(place)) {
    const std::int64_t columns = place.blocks.columns(block), padded = place.blocks.padded(block);
    activation_.dot_columns(place.columns + offset, columns, pass_->row_count, gradients, place.layer.outputs,
                            accumulate, to, padded);
    for (std::int64_t narrow = 0; narrow < place.layer.outputs; ++narrow)
      std::fill(to + narrow * padded + columns, to + (narrow + 1) * padded, Value{0});
  } else if (accumulate) {
    (last ? products.more_last_weight_gradient : products.more_weight_gradient)(place.rows + offset, gradients, to);
  } else {
    (last ? products.last_weight_gradient : products.weight_gradient)(place.rows + offset, gradients, to);
  }
}

template <class Value>
void ResidentNetwork<Value>::update(const Value* gradients, std::int64_t offset, std::int64_t count) {
  updater_(gradients, count, parameters_ + offset, first_ + offset, second_ + offset);
}

template <class Value>
double ResidentNetwork<Value>::evaluate(float* outputs) {
  forward(nullptr);
  const double sum = loss(nullptr);
  const std::int64_t output_count = places_.back().layer.outputs;
  for (std::int64_t row = 0; row < slot_->count; ++row)
    for (std::int64_t output = 0; output < output_count; ++output)
      *outputs++ = static_cast<float>(outputs_[output * pass_->row_count + row]);
  return sum;
}

template double ResidentNetwork<float>::train(const BatchPart&);
template double ResidentNetwork<double>::train(const BatchPart&);
template double ResidentNetwork<float>::evaluate(float*);
template double ResidentNetwork<double>::evaluate(float*);

}  // namespace sheaf
