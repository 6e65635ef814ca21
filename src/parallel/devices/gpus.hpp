// Finds the GPUs that are visible to this process.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sheaf {

struct Gpu {
  std::int64_t id = 0;  ///< derived from the UUID, so the same in every process
  std::string name;
  double memory_bytes = 0;
};

struct VisibleGpus {
  std::vector<Gpu> gpus;    ///< in CUDA's numbering, after CUDA_VISIBLE_DEVICES
  std::string none_reason;  ///< if there are no GPUs, the reason for messages
};

/// Queries the CUDA runtime. Does not create a context on any GPU. Local.
VisibleGpus find_gpus();

}  // namespace sheaf
