// Checks before the training whether the networks of a study fit its data.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engines/torch_backend.hpp"
#include "models/network_layout.hpp"
#include "study/plan.hpp"

namespace sheaf {

/// The sizes of a plan's networks.
struct NetworkSizes {
  DataShape shape;
  std::map<std::string, ModuleFacts> of_modules;  ///< what LibTorch finds out about each module, by its file
};

/// Makes each network of the plan once: its list of layers, or its module in LibTorch if it comes from a file; loads
/// XGBoost for trees. Throws UsageError or RunError for errors in the study, a file or a library. Local.
NetworkSizes check_networks(const Plan& plan, const DataShape& shape);

/// A warning for each module file whose outputs are probabilities and which is trained with cross_entropy, which
/// applies softmax to them. Pure.
std::vector<std::string> probability_warnings(const NetworkSizes& sizes, const Plan& plan);

/// The number of trained parameters of a trial's network; 0 for boosted trees. Pure.
std::int64_t parameters_of(const NetworkSizes& sizes, const Trial& trial);

}  // namespace sheaf
