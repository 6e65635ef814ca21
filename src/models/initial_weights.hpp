// Initial parameters of networks. All engines use the same ones, so this file does not use LibTorch. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/random/random_stream.hpp"
#include "models/network_layout.hpp"

namespace sheaf {

/// The properties of a layer that determine its initial parameters.
struct LayerParameters {
  enum class Kind { affine, normalization, embedding };
  Kind kind = Kind::affine;
  std::int64_t weight_count = 0;
  std::int64_t bias_count = 0;
  std::int64_t fan_in = 0;
  std::int64_t fan_out = 0;
};

/// Appends a layer's weights, then its bias. Values are drawn in double and rounded to float, so that float32 and
/// float64 trainings start from the same values. U(a) is the uniform distribution on [-a, a).
/// Affine layers (dense layers and convolutions):
///   pytorch  weights and bias U(1 / sqrt(fan_in)), equivalent to kaiming_uniform_(a = sqrt 5) in reset_parameters of
///            nn.Linear and nn.Conv2d
///   glorot   weights U(sqrt(6 / (fan_in + fan_out))), bias 0: Keras' default (Glorot and Bengio, AISTATS 2010)
///   he       weights normal with deviation sqrt(2 / fan_in), bias 0: kaiming_normal_ (He et al., ICCV 2015)
///   zeros    all 0
/// Normalization: weights 1 and bias 0, for every rule. Embedding: standard normal, except for the rule `zeros`.
void append_initial_weights(std::vector<float>& weights, const LayerParameters& layer, Initialization rule,
                            RandomStream& stream);

/// The flat list of the parameters of all layers. Each layer has its own random stream. Encodings: rows that are looked
/// up normal with deviation 0.1, 0 for unknown texts; of piecewise features w and b U(1 / sqrt(embedding_width)) and 0
/// at all edges; except for the rule `zeros`.
std::vector<float> initial_weights(const std::vector<Layer>& layers, Initialization rule, std::uint64_t iteration_seed);

}  // namespace sheaf
