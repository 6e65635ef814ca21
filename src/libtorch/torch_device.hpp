// Where LibTorch works.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

namespace sheaf {

/// CUDA device `gpu`, or the CPU for -1. Throws RunError when LibTorch sees no such device.
torch::Device torch_device(int gpu);

}  // namespace sheaf
