// Predictions of a network: the chain of layers without backward pass. The rows are contiguous, so products read them
// in place, without gathering.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/splits.hpp"
#include "engines/native/layers/layer_values.hpp"
#include "engines/native/layers/native_layer.hpp"
#include "engines/native/layers/scratch.hpp"
#include "models/network_layout.hpp"
#include "models/network_state.hpp"
#include "study/model_options.hpp"

namespace sheaf {

/// Values are stored by rows. While a tile is multiplied, the next one is prefetched from memory. Not shared between
/// threads.
class NativeForward {
 public:
  /// layers_refusal() has no value for `layers`; `network` has their parameters and buffers.
  NativeForward(const std::vector<Layer>& layers, Activation activation, const NetworkState& network,
                const FeatureScaling& scaling);
  NativeForward(const NativeForward&) = delete;
  NativeForward& operator=(const NativeForward&) = delete;

  /// Computes outputs [count, outputs] of rows [count, features], both row-major. The outputs of a row depend on this
  /// row alone, to the bit. Allocates nothing. Returns false if a feature may be infinite or NaN.
  [[nodiscard]] bool operator()(const float* features, std::int64_t count, float* outputs);

 private:
  void add_layers(const std::vector<Layer>& layers, Activation activation, const FeatureScaling& scaling);
  ShiftOffset add_layer(const Layer& layer, const FeatureScaling& scaling);
  ShiftOffset add_encoding(const Layer& layer, const FeatureScaling& scaling);
  ShiftOffset add_dense(const Layer& layer);
  ShiftOffset add_norm(const Layer& layer, ShiftOffset bias);
  void load_statistics(const std::vector<double>& buffers);
  void lay_out(ArenaLayout& arena);
  Prefetch tile_after(const float* features, std::int64_t done, std::int64_t count) const;
  const float* tile_features(const float* features, std::int64_t count);
  bool has_finite_sums(std::int64_t count) const;

  std::int64_t feature_count_;
  FeatureScaling scaling_;  // empty: no scaling
  std::int64_t tile_;       // rows per tile
  Parameters<float> parameters_;
  Scratch<float> scratch_;
  std::vector<LayerValues<float>> values_;  // the outputs of each layer that is not a norm
  std::size_t first_dense_;                 // its number among them, and in the chain
  std::vector<std::unique_ptr<ForwardLayer<float>>> chain_;
  ShiftOffset shift_;  // of the outputs
  Arena arena_;
  float* scaled_ = nullptr;                 // [tile, features]
  float* buffers_[2] = {nullptr, nullptr};  // [tile, widest stride], for the values of the layers alternately
};

}  // namespace sheaf
