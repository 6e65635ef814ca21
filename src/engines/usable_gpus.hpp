// SPDX-License-Identifier: MIT
#pragma once

#include "parallel/devices/gpus.hpp"

namespace sheaf {

/// The GPUs that both the CUDA runtime and LibTorch can use, or the reason why there are none. Loads LibTorch if it has
/// CUDA and the runtime finds GPUs. Throws RunError if LibTorch cannot be loaded. Local.
VisibleGpus find_usable_gpus();

}  // namespace sheaf
