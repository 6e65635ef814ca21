// Checks before the training whether the networks of a study fit its data.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>

#include "models/network_layout.hpp"
#include "study/plan.hpp"

namespace sheaf {

/// The sizes of a plan's networks.
struct NetworkSizes {
  DataShape shape;
  /// The number of trained parameters of each module from a file, counted by LibTorch. The key is
  /// Plan::first_of_network().
  std::map<std::int64_t, std::int64_t> of_modules;
};

/// Makes each network of the plan once: its list of layers, or its module in LibTorch if it comes from a file. Throws
/// UsageError or RunError for errors in the study or a file. Local.
NetworkSizes check_networks(const Plan& plan, const DataShape& shape);

/// The number of trained parameters of the network of trial `number`. Pure.
std::int64_t parameters_of(const NetworkSizes& sizes, const Plan& plan, std::int64_t number, const Trial& trial);

}  // namespace sheaf
