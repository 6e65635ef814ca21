// A network in LibTorch: its parameters and its forward pass.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

#include <optional>
#include <vector>

#include "model/dropout_mask.hpp"
#include "plan/network_layout.hpp"

namespace sheaf {

/// The parameters lie in one flat tensor, their gradients in another, and each layer sees its parts of both: the
/// optimizers work element by element, so one update of the flat tensor is the update of all layers at a fraction of
/// the calls. Not shared between threads.
class Network {
 public:
  /// `weights` is the flat list of initial_weights(). `dtype` is kFloat32 or kFloat64.
  Network(const ModelOptions& model, const std::vector<Layer>& layers, const std::vector<float>& weights,
          torch::Device device, torch::ScalarType dtype);

  /// Outputs [rows, outputs] for features [rows, features]: plain values, or logits. With a step it drops activations
  /// as in that training step; without one it never does.
  torch::Tensor forward(const torch::Tensor& features, std::optional<TrainingStep> step = std::nullopt) const;

  /// All parameters in the order of the flat list; `grad()` holds what backward passes have added up.
  const torch::Tensor& parameters() const { return parameters_; }

 private:
  struct Part {
    Layer layer;
    torch::Tensor weight;
    torch::Tensor bias;  // undefined without
  };

  torch::Tensor activate(const torch::Tensor& values) const;
  torch::Tensor drop(const torch::Tensor& values, std::size_t layer, TrainingStep step) const;

  ModelOptions model_;
  torch::Tensor parameters_;
  std::vector<Part> parts_;
};

}  // namespace sheaf
