// The encodings of features (Layer::Kind::encoding) of all slots of a stack.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "data/feature_scaling.hpp"
#include "models/layer.hpp"

namespace sheaf {

/// What the encodings of the slots do not have in common, besides their parameters. Not trained. Undefined if the layer
/// has no such features.
struct StackEncodingTensors {
  torch::Tensor inner, lower, width;  ///< FeatureBins, [slots, piecewise features, edges or bins]
  torch::Tensor replacements;         ///< [slots, 1, features]

  StackEncodingTensors() = default;
  StackEncodingTensors(const Layer& encoding, std::int64_t slots, const torch::TensorOptions& options);

  /// Takes edges and replacements of the model in a slot.
  void set(std::int64_t slot, const FeatureScaling& scaling);
  /// Views of those of one slot.
  StackEncodingTensors of_slot(std::int64_t slot) const;
};

/// Encodes rows, and computes gradients of the weights.
class StackEncoder {
 public:
  /// `options`: the device and the type of the values.
  StackEncoder(const Layer& encoding, std::int64_t slots, StackEncodingTensors tensors,
               const torch::TensorOptions& options);

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

  StackEncodingTensors tensors_;
  torch::Tensor piecewise_features_, piecewise_rows_, lookup_features_, lookup_rows_;  // EncodingColumns, as the others
  torch::Tensor other_features_, levels_, empty_features_;
  torch::Tensor is_number_;  // of the other features: whether the level is NaN
  torch::Tensor slots_;      // [slots, 1, 1]: 0, 1, ..., to index the weights of each slot
  // Of the last forward(): the values of the piecewise features and their places in their bins, [slots, rows, features,
  // 1]; the rows of the weights of the lower edges and of the codes, [slots, rows, features].
  torch::Tensor numbers_, places_, edges_, codes_;
};

}  // namespace sheaf
