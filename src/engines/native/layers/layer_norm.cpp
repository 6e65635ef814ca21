// SPDX-License-Identifier: MIT
#include "engines/native/layers/layer_norm.hpp"

#include "models/layer.hpp"

namespace sheaf {

template <class Value>
LayerNorm<Value>::LayerNorm(LayerValues<Value>& values, ShiftOffset shift, Parameters<Value>& parameters,
                            Scratch<Value>& scratch)
    : values_(values),
      shift_before_(shift),
      parameters_(parameters),
      scratch_(scratch),
      scale_(parameters.add(values.cut.features)),
      shift_(parameters.add(values.cut.features)) {}

template <class Value>
void LayerNorm<Value>::lay_out(ArenaLayout& arena, std::int64_t max_rows) {
  normalized_ = arena.take<Value>(values_.cut.total_columns() * max_rows);
  inverse_ = arena.take<Value>(max_rows);
}

template <class Value>
void LayerNorm<Value>::for_each_segment(const SegmentUse& use) const {
  use({scale_, 1, values_.cut.features});
  use({shift_, 1, values_.cut.features});
}

template <class Value>
void LayerNorm<Value>::forward(const TilePass& pass) {
  const NormParameters<Value> parameters{parameters_.shift(shift_before_), parameters_.at(scale_),
                                         static_cast<Value>(layer_norm_epsilon)};
  Value* normalized = pass.tile == nullptr ? nullptr : normalized_;
  Value* inverse = pass.tile == nullptr ? nullptr : inverse_;
  if (by_rows())
    kernels_.normalize_rows(parameters, values_.cut, pass.row_count, values_.rows, normalized, inverse);
  else
    kernels_.normalize_columns(parameters, values_.cut.features, pass.row_count, values_.columns, normalized, inverse);
}

template <class Value>
Value* LayerNorm<Value>::backward(const TilePass& pass, Value* gradients, Value*) {
  const bool accumulate = !pass.tile->first;
  const std::int64_t count = values_.cut.total_columns();
  Value* scale_sums = parameters_.gradients_at(scale_);
  Value* shift_sums = parameters_.shift_gradients(shift_before_, scratch_.unused_sums);
  if (by_rows())
    kernels_.normalize_rows_gradient(parameters_.at(scale_), normalized_, inverse_, values_.cut, pass.row_count,
                                     accumulate, gradients, scale_sums, shift_sums);
  else
    kernels_.normalize_columns_gradient(parameters_.at(scale_), normalized_, inverse_, values_.cut.features,
                                        pass.row_count, accumulate, gradients, scale_sums, shift_sums);
  if (pass.updates) {
    parameters_.update(scale_sums, scale_, count);
    parameters_.update(parameters_.gradients_at(shift_), shift_, count);
  }
  return gradients;
}

template class LayerNorm<float>;
template class LayerNorm<double>;

}  // namespace sheaf
