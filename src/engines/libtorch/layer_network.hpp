// A network made of the layers of a layout.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "engines/libtorch/network.hpp"
#include "models/network_layout.hpp"

namespace sheaf {

/// PyTorch's default.
inline constexpr double batch_norm_epsilon = 1e-5;

/// The sides of a layer's weights.
std::vector<std::int64_t> weight_sizes(const Layer& layer);

/// Buffers: for each batch norm its running mean and variance, [channels] each.
class LayerNetwork : public Network {
 public:
  /// `weights` is the flat list of initial_weights(). With bfloat16 they stay float32.
  LayerNetwork(const ModelOptions& model, const std::vector<Layer>& layers, const std::vector<float>& weights,
               torch::Device device, Precision precision);

 private:
  struct Part {
    Layer layer;
    torch::Tensor weight;
    torch::Tensor bias;                            // undefined without
    torch::Tensor running_mean, running_variance;  // of a batch norm
  };

  torch::Tensor compute(const torch::Tensor& features, std::optional<TrainingStep> step) override;
  torch::Tensor activate(const torch::Tensor& values) const;
  torch::Tensor drop(const torch::Tensor& values, std::size_t layer, TrainingStep step) const;
  torch::Tensor apply(const Part& part, const torch::Tensor& values, bool training) const;
  static torch::Tensor normalize(const Part& part, const torch::Tensor& values, bool training);

  ModelOptions model_;
  bool channels_last_;  // on CPUs: see "Facts about libraries" in src/engines/README.md
  std::vector<Part> parts_;
};

}  // namespace sheaf
