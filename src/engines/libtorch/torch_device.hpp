// Where LibTorch works.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

namespace sheaf {

/// CUDA device `gpu`, or the CPU for -1. Throws RunError when LibTorch sees no such device.
torch::Device torch_device(int gpu);

/// Whether float32 products and convolutions on GPUs may round their factors to TF32. For the whole process; LibTorch's
/// default is on for convolutions. Local.
void use_tf32(bool on);

}  // namespace sheaf
