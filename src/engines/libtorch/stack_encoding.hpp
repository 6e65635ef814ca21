// The encodings of features (Layer::Kind::encoding) of all slots of a stack.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "data/feature_scaling.hpp"
#include "models/layer.hpp"

namespace sheaf {

/// Which features an encoding has of each kind: EncodingColumns, as tensors. Common to all slots.
struct StackEncodingColumns {
  torch::Tensor piecewise_features, piecewise_rows, lookup_features, lookup_rows, other_features, empty_features;
  torch::Tensor levels;     ///< of the other features
  torch::Tensor is_number;  ///< whether the level is NaN

  StackEncodingColumns() = default;
  StackEncodingColumns(const Layer& encoding, const torch::TensorOptions& options);
};

/// The values of the encodings of the slots that are not trained. Undefined if the layer has no such features.
struct StackEncodingTensors {
  StackEncodingColumns columns;
  torch::Tensor inner, lower, width;  ///< FeatureBins, [slots, piecewise features, edges or bins]
  torch::Tensor replacements;         ///< [slots, 1, features]

  StackEncodingTensors() = default;
  StackEncodingTensors(const Layer& encoding, std::int64_t slots, const torch::TensorOptions& options);

  /// Takes edges and replacements of the model in a slot.
  void set(std::int64_t slot, const FeatureScaling& scaling);
  /// The same for the slots with these numbers, [count] int64.
  StackEncodingTensors of_slots(const torch::Tensor& slots) const;
};

/// Encodes rows, and computes gradients of the weights.
class StackEncoder {
 public:
  /// `options`: the device and the type of the values. Copies nothing to the device.
  StackEncoder(std::int64_t slots, StackEncodingTensors tensors, const torch::TensorOptions& options);

  /// The inputs of the next layer, [slots, rows, outputs], for `features` [slots, rows, features]. `weight`: [slots,
  /// weight rows, embedding_width], `bias`: [slots, 1, biases]; undefined if the layer has none.
  torch::Tensor forward(const torch::Tensor& features, const torch::Tensor& weight, const torch::Tensor& bias);

  /// After forward(): sets the gradients for that of its outputs, [slots, rows, outputs].
  void backward(const torch::Tensor& gradient, torch::Tensor& weight_gradient, torch::Tensor& bias_gradient) const;

 private:
  torch::Tensor piecewise(const torch::Tensor& features, const torch::Tensor& weight, const torch::Tensor& bias);
  torch::Tensor looked_up(const torch::Tensor& features, const torch::Tensor& weight);
  torch::Tensor rows_of(const torch::Tensor& weight, const torch::Tensor& rows) const;
  void add_to_rows(torch::Tensor& weights, const torch::Tensor& rows, const torch::Tensor& values) const;
  void piecewise_backward(const torch::Tensor& gradient, torch::Tensor& weight_gradient,
                          torch::Tensor& bias_gradient) const;

  StackEncodingColumns columns_;
  StackEncodingTensors tensors_;
  torch::Tensor slots_;  // [slots, 1, 1]: 0, 1, ..., to index the weights of each slot
  // Of the last forward(): the values of the piecewise features and their places in their bins, [slots, rows, features,
  // 1]; the rows of the weights of the lower edges and of the codes, [slots, rows, features].
  torch::Tensor numbers_, places_, edges_, codes_;
};

}  // namespace sheaf
