// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace sheaf {

/// The values of a trained network.
struct NetworkState {
  std::vector<float> parameters;  ///< in the order of initial_weights() or of the module's parameters, rounded to float
  std::vector<double> buffers;    ///< Network::buffers(), concatenated; double, to represent integer buffers exactly
};

}  // namespace sheaf
