// Whether the networks of a study fit its data, found out before anything is trained.
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
  /// Trained parameters of the modules from files, which LibTorch counts, by Plan::first_of_network().
  std::map<std::int64_t, std::int64_t> of_modules;
};

/// Makes each network of the plan once: its layers where there is a layout, in LibTorch where a module comes from a
/// file. Throws UsageError and RunError with what is wrong of the study or a file. Local.
NetworkSizes check_networks(const Plan& plan, const DataShape& shape);

/// The trained parameters of the network of trial `number`. Pure.
std::int64_t parameters_of(const NetworkSizes& sizes, const Plan& plan, std::int64_t number, const Trial& trial);

}  // namespace sheaf
