// SPDX-License-Identifier: MIT
#include "engines/native/layers/activation_layer.hpp"

#include <cassert>

namespace sheaf {

template <class Value>
void ActivationLayer<Value>::lay_out(ArenaLayout& arena, std::int64_t max_rows) {
  slopes_ = arena.take<Value>(values_.cut.total_columns() * max_rows);
}

template <class Value>
void ActivationLayer<Value>::set_options(const ModelOptions& model) {
  assert(scratch_.drops || model.dropout == 0);
  function_ = model.activation;
  dropout_ = model.dropout;
}

template <class Value>
void ActivationLayer<Value>::forward(const TilePass& pass) {
  const bool drops = pass.tile != nullptr && dropout_ > 0;
  if (drops) {
    const std::int64_t width = values_.cut.features;
    draw_dropout_mask(pass.tile->step, index_, dropout_, pass.tile->begin * width, scratch_.mask, pass.count * width);
  }
  if (values_.source == LayerValues<Value>::Source::rows)
    forward_rows(pass, drops);
  else
    forward_columns(pass, drops);
}

template <class Value>
void ActivationLayer<Value>::forward_columns(const TilePass& pass, bool drops) {
  const std::int64_t row_count = pass.row_count, width = values_.cut.features;
  // Padding rows contain values from earlier tiles, which are zeros and ones.
  if (drops)
    move_floats_.transpose(scratch_.mask, width, row_count, round_up(width, 4), scratch_.mask_columns, row_count);
  kernels_.activate(function_, parameters_.shift(shift_), drops ? scratch_.mask_columns : nullptr, keep_scale(), width,
                    row_count, values_.columns, pass.tile == nullptr ? nullptr : slopes_);
}

template <class Value>
void ActivationLayer<Value>::forward_rows(const TilePass& pass, bool drops) {
  const FeatureBlocks& cut = values_.cut;
  const Value* shift = parameters_.shift(shift_);
  for (std::int64_t block = 0; block < cut.count(); ++block) {
    const std::int64_t offset = cut.offset(block, pass.row_count), first = block * FeatureBlocks::width;
    kernels_.activate_rows(function_, shift == nullptr ? nullptr : shift + first,
                           drops ? scratch_.mask + first : nullptr, cut.features, keep_scale(), cut.columns(block),
                           pass.row_count, values_.rows + offset, pass.tile == nullptr ? nullptr : slopes_ + offset);
  }
}

// Multiplies the gradients by the derivatives. Their sums are the gradients of the shift.
template <class Value>
Value* ActivationLayer<Value>::backward(const TilePass& pass, Value* gradients, Value*) {
  const FeatureBlocks& cut = values_.cut;
  const bool accumulate = !pass.tile->first;
  Value* sums = parameters_.shift_gradients(shift_, scratch_.unused_sums);
  if (values_.source == LayerValues<Value>::Source::columns) {
    kernels_.finish_gradient(slopes_, cut.features, pass.row_count, accumulate, gradients, sums);
    return gradients;
  }
  for (std::int64_t block = 0; block < cut.count(); ++block) {
    const std::int64_t offset = cut.offset(block, pass.row_count);
    kernels_.finish_gradient_rows(slopes_ + offset, cut.padded(block), pass.row_count, accumulate, gradients + offset,
                                  sums + block * FeatureBlocks::width);
  }
  return gradients;
}

template class ActivationLayer<float>;
template class ActivationLayer<double>;

}  // namespace sheaf
