// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "engines/native/layers/layer_values.hpp"
#include "engines/native/layers/native_layer.hpp"
#include "engines/native/layers/scratch.hpp"

namespace sheaf {

/// Layer normalization, in place: values = scale * (values + shift - mean) / sqrt(variance + epsilon), with the mean
/// and the biased variance of each row over its features. The next layer adds the shift of the norm itself. Source: Ba
/// et al., "Layer normalization", 2016, as torch.nn.LayerNorm.
template <class Value>
class LayerNorm : public TrainedLayer<Value> {
 public:
  /// `shift`: the bias of the layer before.
  LayerNorm(LayerValues<Value>& values, ShiftOffset shift, Parameters<Value>& parameters, Scratch<Value>& scratch);

  /// Its own shift, which the next layer adds.
  ShiftOffset shift() const { return shift_; }

  void lay_out(ArenaLayout& arena, std::int64_t max_rows) override;
  void for_each_segment(const SegmentUse& use) const override;
  void forward(const TilePass& pass) override;
  Value* backward(const TilePass& pass, Value* gradients, Value* spare) override;

 private:
  bool by_rows() const { return values_.source == LayerValues<Value>::Source::rows; }

  LayerValues<Value>& values_;
  ShiftOffset shift_before_;
  Parameters<Value>& parameters_;
  Scratch<Value>& scratch_;
  std::int64_t scale_, shift_;   // offsets
  Value* normalized_ = nullptr;  // values before scaling, stored like the gradients
  Value* inverse_ = nullptr;     // [rows]: 1 / sqrt(variance + epsilon)
  NormKernels<Value> kernels_ = norm_kernels<Value>();
};

}  // namespace sheaf
