// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "engines/native/layers/layer_values.hpp"
#include "engines/native/layers/native_layer.hpp"

namespace sheaf {

/// Batch normalization, in place: values = scale * (values - mean) / sqrt(variance + epsilon), with the mean and the
/// biased variance of each feature over the rows of the batch, which must be one tile. Evaluations and predictions use
/// running statistics instead: means of those of the batches, with the unbiased variance; a batch of one row does not
/// change them. The next layer adds the shift of the norm itself. Source: Ioffe and Szegedy, "Batch normalization",
/// 2015, as torch.nn.BatchNorm1d.
template <class Value>
class BatchNorm : public TrainedLayer<Value> {
 public:
  /// `values`: of a layer without a bias.
  BatchNorm(LayerValues<Value>& values, Parameters<Value>& parameters);

  /// Its own shift, which the next layer adds.
  ShiftOffset shift() const { return shift_; }

  void lay_out(ArenaLayout& arena, std::int64_t max_rows) override;
  void lay_out_predictions(ArenaLayout& arena) override;
  void for_each_segment(const SegmentUse& use) const override;
  void for_each_buffer(const BufferUse<Value>& use) const override;
  void forward(const TilePass& pass) override;
  Value* backward(const TilePass& pass, Value* gradients, Value* spare) override;

 private:
  bool by_rows() const { return values_.source == LayerValues<Value>::Source::rows; }
  void measure(const TilePass& pass);
  void normalize(const TilePass& pass, const Value* mean, const Value* variance, Value* normalized);

  LayerValues<Value>& values_;
  Parameters<Value>& parameters_;
  std::int64_t scale_, shift_;                                   // offsets
  Value *running_mean_ = nullptr, *running_variance_ = nullptr;  // [features]
  Value *mean_ = nullptr, *variance_ = nullptr;                  // [features], of the batch; the variance is biased
  Value* inverse_ = nullptr;                                     // [features]: 1 / sqrt(variance + epsilon)
  Value* normalized_ = nullptr;                                  // values before scaling, stored like the gradients
  BatchNormKernels<Value> kernels_ = batch_norm_kernels<Value>();
};

}  // namespace sheaf
