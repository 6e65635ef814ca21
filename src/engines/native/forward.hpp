// Predictions of a linear model or MLP. The rows are contiguous, so products read them in place, without gathering.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/splits.hpp"
#include "engines/native/arena.hpp"
#include "engines/native/kernels.hpp"
#include "models/network_layout.hpp"
#include "study/model_options.hpp"

namespace sheaf {

/// Activations are stored by rows. The weights of a layer are stored in panels of outputs, each [inputs][outputs of the
/// panel]. A product multiplies the rows of a tile by a panel, over one block of inputs. While a tile is multiplied,
/// the next one is prefetched from memory. Not shared between threads.
class NativeForward {
 public:
  /// `layers` must be dense; `parameters` is the flat list of their parameters, in the order of initial_weights().
  NativeForward(const std::vector<Layer>& layers, Activation activation, const std::vector<float>& parameters,
                const FeatureScaling& scaling);

  /// Computes outputs [count, outputs] of rows [count, features], both row-major. The outputs of a row depend on this
  /// row alone, to the bit. Allocates nothing. Returns false if a feature may be infinite or NaN.
  [[nodiscard]] bool operator()(const float* features, std::int64_t count, float* outputs);

 private:
  // The product of a panel over one block of inputs.
  struct PanelProduct {
    RowProduct product;
    std::int64_t input = 0;   // first input of the block
    std::int64_t output = 0;  // first output of the panel
  };

  struct LayerProducts {
    std::int64_t inputs = 0, outputs = 0;
    std::int64_t stride = 0;      // from one row of outputs to the next
    const float* bias = nullptr;  // [stride]
    std::vector<PanelProduct> panels;
  };

  void lay_out(ArenaLayout& arena, const std::vector<Layer>& layers);
  void add_layer(const Layer& layer, std::int64_t input_stride, float* weights, float* bias, const float* parameters);
  Prefetch tile_after(const float* features, std::int64_t done, std::int64_t count) const;
  const float* tile_features(const float* features, std::int64_t count);
  bool has_finite_sums(const float* values, std::int64_t count) const;

  Activation activation_;
  FeatureScaling scaling_;  // empty: no scaling
  RowKernels kernels_ = row_kernels();
  ActivationKernels<float> activations_ = activation_kernels<float>();
  std::int64_t tile_;  // rows per tile
  std::vector<LayerProducts> layers_;
  Arena arena_;
  std::vector<float*> weights_, biases_;   // one per layer
  float* scaled_ = nullptr;                // [tile, features]
  float* values_[2] = {nullptr, nullptr};  // [tile, widest stride], used alternately
};

}  // namespace sheaf
