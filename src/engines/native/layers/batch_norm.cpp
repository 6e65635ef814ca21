// SPDX-License-Identifier: MIT
#include "engines/native/layers/batch_norm.hpp"

#include <cmath>

#include "models/layer.hpp"

namespace sheaf {

template <class Value>
BatchNorm<Value>::BatchNorm(LayerValues<Value>& values, Parameters<Value>& parameters)
    : values_(values),
      parameters_(parameters),
      scale_(parameters.add(values.cut.features)),
      shift_(parameters.add(values.cut.features)) {}

template <class Value>
void BatchNorm<Value>::lay_out_predictions(ArenaLayout& arena) {
  for (Value** array : {&running_mean_, &running_variance_, &inverse_})
    *array = arena.take<Value>(values_.cut.total_columns());
}

template <class Value>
void BatchNorm<Value>::lay_out(ArenaLayout& arena, std::int64_t max_rows) {
  lay_out_predictions(arena);
  for (Value** array : {&mean_, &variance_}) *array = arena.take<Value>(values_.cut.total_columns());
  normalized_ = arena.take<Value>(values_.cut.total_columns() * max_rows);
}

template <class Value>
void BatchNorm<Value>::for_each_segment(const SegmentUse& use) const {
  use({scale_, 1, values_.cut.features});
  use({shift_, 1, values_.cut.features});
}

template <class Value>
void BatchNorm<Value>::for_each_buffer(const BufferUse<Value>& use) const {
  use({running_mean_, values_.cut.features, 0});
  use({running_variance_, values_.cut.features, 1});
}

// Computes the statistics of the batch, and updates the running ones.
template <class Value>
void BatchNorm<Value>::measure(const TilePass& pass) {
  const std::int64_t features = values_.cut.features;
  if (by_rows())
    kernels_.measure_rows(values_.cut, pass.count, pass.row_count, values_.rows, mean_, variance_);
  else
    kernels_.measure_columns(features, pass.count, pass.row_count, values_.columns, mean_, variance_);
  if (pass.count == 1) return;
  const auto momentum = static_cast<Value>(batch_norm_momentum), rest = static_cast<Value>(1 - batch_norm_momentum);
  const auto rows = static_cast<Value>(pass.count);
  for (std::int64_t feature = 0; feature < features; ++feature) {
    running_mean_[feature] = rest * running_mean_[feature] + momentum * mean_[feature];
    running_variance_[feature] =
        rest * running_variance_[feature] + momentum * (variance_[feature] * (rows / (rows - 1)));
  }
}

template <class Value>
void BatchNorm<Value>::normalize(const TilePass& pass, const Value* mean, const Value* variance, Value* normalized) {
  for (std::int64_t feature = 0; feature < values_.cut.features; ++feature) {
    const Value sum = variance[feature] + static_cast<Value>(batch_norm_epsilon);
    inverse_[feature] = std::sqrt(sum) / sum;  // NaN if it overflows, so that divergence is not hidden
  }
  const BatchNormParameters<Value> parameters{mean, inverse_, parameters_.at(scale_)};
  if (by_rows())
    kernels_.normalize_rows(parameters, values_.cut, pass.count, pass.row_count, values_.rows, normalized);
  else
    kernels_.normalize_columns(parameters, values_.cut.features, pass.count, pass.row_count, values_.columns,
                               normalized);
}

template <class Value>
void BatchNorm<Value>::forward(const TilePass& pass) {
  if (pass.tile == nullptr) return normalize(pass, running_mean_, running_variance_, nullptr);
  measure(pass);
  normalize(pass, mean_, variance_, normalized_);
}

template <class Value>
Value* BatchNorm<Value>::backward(const TilePass& pass, Value* gradients, Value*) {
  Value* scale_sums = parameters_.gradients_at(scale_);
  const BatchNormParameters<Value> parameters{mean_, inverse_, parameters_.at(scale_)};
  if (by_rows())
    kernels_.normalize_rows_gradient(parameters, normalized_, values_.cut, pass.count, pass.row_count, gradients,
                                     scale_sums);
  else
    kernels_.normalize_columns_gradient(parameters, normalized_, values_.cut.features, pass.count, pass.row_count,
                                        gradients, scale_sums);
  if (pass.updates) {
    parameters_.update(scale_sums, scale_, values_.cut.total_columns());
    parameters_.update(parameters_.gradients_at(shift_), shift_, values_.cut.total_columns());
  }
  return gradients;
}

template class BatchNorm<float>;
template class BatchNorm<double>;

}  // namespace sheaf
