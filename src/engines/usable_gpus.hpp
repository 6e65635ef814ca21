// SPDX-License-Identifier: MIT
#pragma once

#include "parallel/devices/gpus.hpp"

namespace sheaf {

/// The GPUs that both the CUDA runtime and LibTorch can use, or why there are none. Loads LibTorch if it has
/// CUDA and the runtime sees any; throws RunError when it cannot be loaded. Local.
VisibleGpus find_usable_gpus();

}  // namespace sheaf
