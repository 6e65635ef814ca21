// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace sheaf {

/// A trained network: the flat list of initial_weights(), or of what a module trains, rounded to float; then what else
/// training changed (Network::buffers()), one after the other, in double, which holds integers, too.
struct NetworkState {
  std::vector<float> parameters;
  std::vector<double> buffers;
};

}  // namespace sheaf
