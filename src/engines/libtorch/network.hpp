// A network in LibTorch: its parameters, its buffers and its forward pass.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

#include <optional>
#include <vector>

#include "models/dropout_mask.hpp"
#include "study/study.hpp"

namespace sheaf {

/// The type of a network's parameters, gradients and losses.
torch::ScalarType dtype_of(Precision precision);

/// What trainers see of a network, whoever made it. Its state is the parameters and the buffers: what was read from
/// them and is written into them again, in place, restores it. Not shared between threads.
class Network {
 public:
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Outputs [rows, outputs] for features [rows, features]: plain values, or logits. With a step it is in training
  /// mode: it drops activations as in that step, and batch norms take the batch's statistics and follow them with
  /// their running ones. Without a step it is in evaluation mode.
  /// With Precision::bfloat16 it computes as under PyTorch's autocast; outputs and gradients are float32.
  torch::Tensor forward(const torch::Tensor& features, std::optional<TrainingStep> step = std::nullopt);

  /// All trained parameters, [count] of one type; `grad()` holds what backward passes have added up. The layers see
  /// parts of this tensor.
  const torch::Tensor& parameters() const { return parameters_; }

  /// What training changes besides the parameters, such as running means and variances.
  const std::vector<torch::Tensor>& buffers() const { return buffers_; }

 protected:
  explicit Network(Precision precision) : precision_(precision) {}

  torch::Tensor parameters_;
  std::vector<torch::Tensor> buffers_;

 private:
  virtual torch::Tensor compute(const torch::Tensor& features, std::optional<TrainingStep> step) = 0;

  Precision precision_;
};

}  // namespace sheaf
