// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sheaf {

/// The values of a trained network or of boosted trees.
struct NetworkState {
  std::vector<float> parameters;  ///< in the order of initial_weights() or of the module's parameters, rounded to float
  std::vector<double> buffers;    ///< Network::buffers(), concatenated; double, to represent integer buffers exactly
  std::int64_t rounds = 0;        ///< of boosted trees; 0: of a network
  std::string trees{};            ///< of these rounds, in XGBoost's JSON format

  bool empty() const { return parameters.empty() && rounds == 0; }
};

}  // namespace sheaf
