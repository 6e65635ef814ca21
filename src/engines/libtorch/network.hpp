// A network in LibTorch: parameters, buffers and forward pass.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

#include <optional>
#include <vector>

#include "core/index_range.hpp"
#include "models/dropout_mask.hpp"
#include "models/network_state.hpp"
#include "study/train_options.hpp"

namespace sheaf {

/// The type of a network's parameters, gradients and losses.
torch::ScalarType dtype_of(Precision precision);

/// The interface of networks for trainers, for all kinds of networks. The state of a network is its parameters and
/// buffers; writing saved values to them, in place, restores it. Not shared between threads.
class Network {
 public:
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Computes outputs [rows, outputs] for features [rows, features]: plain values, or logits. With a step the network
  /// is in training mode: it applies the dropout of that step, and batch norms use the statistics of the batch and
  /// update their running statistics. Without a step it is in evaluation mode. With Precision::bfloat16 it computes as
  /// in PyTorch's autocast; outputs and gradients are float32.
  torch::Tensor forward(const torch::Tensor& features, std::optional<TrainingStep> step = std::nullopt);

  /// All trained parameters, [count], of one type. Backward passes add to its `grad()`. The parameters of the layers
  /// are views of this tensor.
  const torch::Tensor& parameters() const { return parameters_; }

  /// The places of the weights among them, without biases and the parameters of norms.
  const std::vector<IndexRange>& weights() const { return weights_; }

  /// Other tensors that training changes, such as running means and variances.
  const std::vector<torch::Tensor>& buffers() const { return buffers_; }

  /// Sets parameters and buffers, in place, to those of a trained network.
  void set(const NetworkState& state);

 protected:
  explicit Network(Precision precision) : precision_(precision) {}

  torch::Tensor parameters_;
  std::vector<IndexRange> weights_;
  std::vector<torch::Tensor> buffers_;

 private:
  virtual torch::Tensor compute(const torch::Tensor& features, std::optional<TrainingStep> step) = 0;

  Precision precision_;
};

}  // namespace sheaf
