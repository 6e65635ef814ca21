// A linear model or MLP that only predicts: rows lie together, so products take them as they are, without gathering.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/splits.hpp"
#include "engines/native/arena.hpp"
#include "engines/native/kernels.hpp"
#include "models/network_layout.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Activations lie by rows here, and the weights of a layer in panels of outputs, [inputs][outputs of the panel] each:
/// a product is outputs of a panel x rows of a tile, over a block of inputs. While a tile is multiplied, the next one
/// is fetched from memory. Not shared between threads.
class NativeForward {
 public:
  /// `layers` are dense; `parameters` is their flat list (initial_weights()).
  NativeForward(const std::vector<Layer>& layers, Activation activation, const std::vector<float>& parameters,
                const FeatureScaling& scaling);

  /// Outputs [count, outputs] of rows [count, features], both row-major. Those of a row depend on it alone, to the bit.
  /// Allocates nothing. False: a feature may be not finite.
  [[nodiscard]] bool operator()(const float* features, std::int64_t count, float* outputs);

 private:
  // A panel's product over a block of inputs.
  struct Piece {
    RowProduct product;
    std::int64_t input = 0;   // first of the block
    std::int64_t output = 0;  // first of the panel
  };

  struct Place {
    std::int64_t inputs = 0, outputs = 0;
    std::int64_t stride = 0;      // of a row of outputs
    const float* bias = nullptr;  // [stride]
    std::vector<Piece> pieces;
  };

  void lay_out(ArenaLayout& arena, const std::vector<Layer>& layers);
  void add_place(const Layer& layer, std::int64_t input_stride, float* weights, float* bias, const float* parameters);
  Prefetch tile_after(const float* features, std::int64_t done, std::int64_t count) const;
  const float* tile_features(const float* features, std::int64_t count);
  bool has_finite_sums(const float* values, std::int64_t count) const;

  Activation activation_;
  FeatureScaling scaling_;  // empty: none
  RowKernels products_ = row_kernels();
  ActivationKernels<float> activations_ = activation_kernels<float>();
  std::int64_t tile_;  // rows
  std::vector<Place> places_;
  Arena arena_;
  std::vector<float*> weights_, biases_;   // of each layer
  float* scaled_ = nullptr;                // [tile, features]
  float* values_[2] = {nullptr, nullptr};  // [tile, widest stride], taken in turns
};

}  // namespace sheaf
