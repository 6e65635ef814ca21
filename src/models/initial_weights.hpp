// The parameters that a network starts from. Free of torch: every engine starts alike. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/random/random_stream.hpp"
#include "models/network_layout.hpp"

namespace sheaf {

/// The parameters of one layer, as far as their initial values go.
struct LayerParameters {
  enum class Kind { affine, normalization, embedding };
  Kind kind = Kind::affine;
  std::int64_t weight_count = 0;
  std::int64_t bias_count = 0;
  std::int64_t fan_in = 0;
  std::int64_t fan_out = 0;
};

/// Appends a layer's weights, then its bias. Drawn in double and rounded to float, so that training in float32 and in
/// float64 start from the same numbers. Affine (dense layers and convolutions), with U(a) for uniform on [-a, a):
///   pytorch  weights and bias U(1 / sqrt(fan_in)): what kaiming_uniform_(a = sqrt 5) of nn.Linear and nn.Conv2d
///            comes to (their reset_parameters)
///   glorot   weights U(sqrt(6 / (fan_in + fan_out))), bias 0: Keras' default (Glorot and Bengio, AISTATS 2010)
///   he       weights normal with deviation sqrt(2 / fan_in), bias 0: kaiming_normal_ (He et al., ICCV 2015)
///   zeros    all 0
/// Normalization: weights 1, bias 0 by every rule. Embedding: standard normal, but for zeros.
void append_initial_weights(std::vector<float>& weights, const LayerParameters& layer, Initialization rule,
                            RandomStream& stream);

/// The flat parameter list: each layer's, from a stream of its own.
std::vector<float> initial_weights(const std::vector<Layer>& layers, Initialization rule, std::uint64_t iteration_seed);

}  // namespace sheaf
