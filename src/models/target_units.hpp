// Converts a network that was trained on scaled targets to one with outputs in the units of the targets. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "data/target_scaling.hpp"
#include "models/layer.hpp"
#include "models/network_state.hpp"

namespace sheaf {

/// The same network with its last layer scaled and shifted. That layer must have a bias if `scaling` is not empty.
/// `network` has the parameters of `layers` in the order of initial_weights().
NetworkState in_target_units(NetworkState network, const std::vector<Layer>& layers, const TargetScaling& scaling);

}  // namespace sheaf
