// Device settings of LibTorch.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

namespace sheaf {

/// CUDA device `gpu`, or the CPU for -1. Throws RunError if LibTorch has no such device.
torch::Device torch_device(int gpu);

/// Sets whether float32 products and convolutions on GPUs may round their factors to TF32. Applies to the whole
/// process. By default, LibTorch does so for convolutions. Local.
void use_tf32(bool on);

}  // namespace sheaf
