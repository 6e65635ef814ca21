// The processor cores this process may use: its affinity mask, not the machine's count.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sheaf {

struct BoundCores {
  std::vector<std::int32_t> cores;  ///< numbers of the physical cores bound, ascending; threads of one core count once
  std::int32_t machine_cores = 0;   ///< all of this host
  std::int32_t sockets = 0;
  std::string processor;    ///< its name, if the system tells
  double memory_bytes = 0;  ///< that this process may use (memory.hpp)
};

/// Asks hwloc; falls back to one core per processing unit where the topology is unknown. Local.
BoundCores find_bound_cores();

}  // namespace sheaf
