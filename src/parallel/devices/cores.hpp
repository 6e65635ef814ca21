// Finds the processor cores that this process may use, according to its affinity mask.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sheaf {

struct BoundCores {
  std::vector<std::int32_t> cores;  ///< numbers of the bound physical cores, ascending, each once
  std::int32_t machine_cores = 0;   ///< number of cores of this host
  std::int32_t sockets = 0;
  std::string processor;    ///< name of the processor; empty if unknown
  double memory_bytes = 0;  ///< memory that this process may use (memory.hpp)
};

/// Queries hwloc. Counts processing units as cores if the topology is unknown. Throws RunError. Local.
BoundCores find_bound_cores();

}  // namespace sheaf
