// The parameters that a network starts from. Free of torch: every engine starts alike. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "plan/network_layout.hpp"

namespace sheaf {

/// The flat parameter list: for each layer its weights, row-major, then its bias. Drawn in double and rounded to
/// float, so that training in float32 and in float64 start from the same numbers. U(a): uniform on [-a, a).
///   pytorch  weights and bias U(1 / sqrt(fan_in)): what kaiming_uniform_(a = sqrt 5) of nn.Linear and nn.Conv2d
///            comes to (their reset_parameters)
///   glorot   weights U(sqrt(6 / (fan_in + fan_out))), bias 0: Keras' default (Glorot and Bengio, AISTATS 2010)
///   he       weights normal with deviation sqrt(2 / fan_in), bias 0: kaiming_normal_ (He et al., ICCV 2015)
///   zeros    all 0
std::vector<float> initial_weights(const std::vector<Layer>& layers, Initialisation rule, std::uint64_t iteration_seed);

}  // namespace sheaf
