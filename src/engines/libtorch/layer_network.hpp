// A network built from a list of layers.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "engines/libtorch/network.hpp"
#include "models/network_layout.hpp"

namespace sheaf {

/// Its buffers are the running mean and variance of each batch norm, [channels] each.
class LayerNetwork : public Network {
 public:
  /// `weights` is the flat list of initial_weights(). With Precision::bfloat16 the parameters are float32. `scaling`:
  /// its edges and replacements are used.
  LayerNetwork(const ModelOptions& model, const std::vector<Layer>& layers, const std::vector<float>& weights,
               torch::Device device, Precision precision, const FeatureScaling& scaling = {});

 private:
  struct Part {
    Layer layer;
    torch::Tensor weight;
    torch::Tensor bias;                            // undefined if the layer has none
    torch::Tensor running_mean, running_variance;  // batch norms only
  };

  // The tensors of an encoding that are not trained. Those of features that do not exist are empty.
  struct Encoding {
    torch::Tensor inner, lower, width;                                            // FeatureBins
    torch::Tensor piecewise_features, piecewise_rows;                             // EncodingColumns, as the others
    torch::Tensor lookup_features, lookup_rows, other_features, levels, numbers;  // numbers: whether the level is NaN
    torch::Tensor empty_features, replacements;                                   // FeatureScaling::replacements
  };

  torch::Tensor compute(const torch::Tensor& features, std::optional<TrainingStep> step) override;
  void set_encoding(const Layer& layer, const FeatureScaling& scaling);
  torch::Tensor encode(const Part& part, const torch::Tensor& features) const;
  torch::Tensor piecewise(const Part& part, const torch::Tensor& features) const;
  torch::Tensor activate(const torch::Tensor& values) const;
  torch::Tensor drop(const torch::Tensor& values, std::size_t layer, TrainingStep step) const;
  torch::Tensor apply(const Part& part, const torch::Tensor& values, bool training) const;
  static torch::Tensor normalize(const Part& part, const torch::Tensor& values, bool training);

  ModelOptions model_;
  bool channels_last_;  // on CPUs: see "Facts about libraries" in src/engines/README.md
  std::vector<Part> parts_;
  Encoding encoding_;
};

}  // namespace sheaf
