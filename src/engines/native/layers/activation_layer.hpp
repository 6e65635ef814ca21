// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "engines/native/layers/layer_values.hpp"
#include "engines/native/layers/native_layer.hpp"
#include "engines/native/layers/scratch.hpp"

namespace sheaf {

/// An activation with dropout, in place: values = mask * f(values + shift). Keeps the derivatives for the backward
/// pass.
template <class Value>
class ActivationLayer : public TrainedLayer<Value> {
 public:
  /// `index`: the number of its layer in the layout, for the dropout mask.
  ActivationLayer(std::size_t index, LayerValues<Value>& values, ShiftOffset shift, Parameters<Value>& parameters,
                  Scratch<Value>& scratch)
      : index_(index), values_(values), shift_(shift), parameters_(parameters), scratch_(scratch) {}

  void lay_out(ArenaLayout& arena, std::int64_t max_rows) override;
  void for_each_segment(const SegmentUse&) const override {}
  void set_options(const ModelOptions& model) override;
  void forward(const TilePass& pass) override;
  Value* backward(const TilePass& pass, Value* gradients, Value* spare) override;

 private:
  void forward_columns(const TilePass& pass, bool drops);
  void forward_rows(const TilePass& pass, bool drops);
  Value keep_scale() const { return static_cast<Value>(1 / (1 - dropout_)); }

  std::size_t index_;
  LayerValues<Value>& values_;
  ShiftOffset shift_;
  Parameters<Value>& parameters_;
  Scratch<Value>& scratch_;
  Activation function_{};
  double dropout_ = 0;
  Value* slopes_ = nullptr;  // derivatives, stored like the gradients
  ActivationKernels<Value> kernels_ = activation_kernels<Value>();
  MoveKernels<float> move_floats_ = move_kernels<float>();
};

}  // namespace sheaf
