// Device settings of LibTorch.
// SPDX-License-Identifier: MIT
#pragma once

#include <c10/core/Stream.h>
#include <torch/types.h>

namespace sheaf {

/// CUDA device `gpu`, or the CPU for -1. Throws RunError if LibTorch has no such device.
torch::Device torch_device(int gpu);

/// A stream of a GPU that is not the default one, from a pool of 32; the only one of the CPU.
c10::Stream own_stream(torch::Device device);

/// Sets whether float32 products and convolutions on GPUs may round their factors to TF32. Applies to the whole
/// process. By default, LibTorch does so for convolutions. Local.
void use_tf32(bool on);

}  // namespace sheaf
