// SPDX-License-Identifier: MIT
#include "engines/native/layers/output_loss.hpp"

#include <algorithm>
#include <cstddef>

namespace sheaf {

namespace {

std::size_t label_of(const DataSet& data, std::int64_t row) {
  return static_cast<std::size_t>(data.labels[row]);
}

}  // namespace

template <class Value>
void OutputLoss<Value>::lay_out(ArenaLayout& arena, std::int64_t max_rows) {
  labels_ = arena.take<Value>(max_rows);
  targets_ = arena.take<Value>(outputs_.cut.features * max_rows);
  weights_ = arena.take<Value>(max_rows);
}

template <class Value>
void OutputLoss<Value>::gather(const DataSet& data, const std::int64_t* rows, std::int64_t count,
                               std::int64_t row_count, bool in_order, bool weighted) {
  gather_targets(data, rows, count, row_count, in_order);
  gather_weights(data, rows, count, row_count, weighted);
}

template <class Value>
void OutputLoss<Value>::gather_targets(const DataSet& data, const std::int64_t* rows, std::int64_t count,
                                       std::int64_t row_count, bool in_order) {
  const std::int64_t output_count = data.output_count;
  if (data.task != Task::classification) {
    for (std::int64_t output = 0; output < output_count; ++output) {
      const float* from = data.targets + output;
      Value* to = targets_ + output * row_count;
      if (scaling_->is_active())
        for (std::int64_t index = 0; index < count; ++index)
          to[index] = scaling_->scaled<Value>(from[rows[index] * output_count], output);
      else if (in_order && output_count == 1)
        std::copy_n(from + rows[0], count, to);
      else
        for (std::int64_t index = 0; index < count; ++index)
          to[index] = static_cast<Value>(from[rows[index] * output_count]);
    }
  } else if (loss_of(loss_.kind).targets == LossTargets::labels) {
    for (std::int64_t index = 0; index < count; ++index) labels_[index] = static_cast<Value>(data.labels[rows[index]]);
  } else {
    std::fill_n(targets_, output_count * row_count, Value{0});
    for (std::int64_t index = 0; index < count; ++index) targets_[data.labels[rows[index]] * row_count + index] = 1;
  }
}

template <class Value>
void OutputLoss<Value>::gather_weights(const DataSet& data, const std::int64_t* rows, std::int64_t count,
                                       std::int64_t row_count, bool weighted) {
  const bool plain = !weighted || (data.weights == nullptr && class_weights_.empty());
  if (plain && unit_weights_ == count) return;
  if (plain)
    std::fill_n(weights_, count, Value{1});
  else
    std::transform(rows, rows + count, weights_, [&](std::int64_t row) {
      const double weight = data.weights == nullptr ? 1 : double{data.weights[row]};
      return static_cast<Value>(class_weights_.empty() ? weight : weight * class_weights_[label_of(data, row)]);
    });
  std::fill(weights_ + count, weights_ + row_count, Value{0});
  unit_weights_ = plain ? count : 0;
}

template <class Value>
double OutputLoss<Value>::operator()(const TilePass& pass, Value* gradients) const {
  const BatchTile* tile = pass.tile;
  const Value scale = tile == nullptr ? Value{0} : static_cast<Value>(tile->gradient_scale);
  const Value* shift = parameters_.shift(shift_);
  Value* sums = tile == nullptr ? nullptr : parameters_.shift_gradients(shift_, scratch_.unused_sums);
  return sum_over_outputs([&](const LossFunction& loss, std::int64_t first, std::int64_t count) {
    const std::int64_t offset = first * pass.row_count;
    BatchTargets<Value> right = targets(first, pass.row_count);
    if (tile != nullptr) right.smoothing = smoothing_;
    return kernels_.loss(loss, shift == nullptr ? nullptr : shift + first, right, scale, count, pass.row_count,
                         tile != nullptr && !tile->first, outputs_.columns + offset,
                         tile == nullptr ? nullptr : gradients + offset, tile == nullptr ? nullptr : sums + first);
  });
}

template <class Value>
void OutputLoss<Value>::copy_outputs(const TilePass& pass, float* to) const {
  const std::int64_t output_count = outputs_.cut.features;
  float* next = to;
  for (std::int64_t row = 0; row < pass.count; ++row)
    for (std::int64_t output = 0; output < output_count; ++output)
      *next++ = static_cast<float>(outputs_.columns[output * pass.row_count + row]);
  to_target_units(*scaling_, pass.count, to);
}

template class OutputLoss<float>;
template class OutputLoss<double>;

}  // namespace sheaf
