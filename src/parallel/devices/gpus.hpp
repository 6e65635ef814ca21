// The GPUs that this process can see.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sheaf {

struct Gpu {
  std::int64_t id = 0;  ///< the same for every process that sees this GPU, from its UUID
  std::string name;
  double memory_bytes = 0;
};

struct VisibleGpus {
  std::vector<Gpu> gpus;    ///< in CUDA's numbering, CUDA_VISIBLE_DEVICES applied
  std::string none_reason;  ///< why there are none, for messages
};

/// Asks the CUDA runtime; makes no context on any GPU. Local.
VisibleGpus find_gpus();

}  // namespace sheaf
