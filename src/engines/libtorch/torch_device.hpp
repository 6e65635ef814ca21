// Device settings of LibTorch.
// SPDX-License-Identifier: MIT
#pragma once

#include <c10/core/Stream.h>
#include <torch/types.h>

namespace sheaf {

/// CUDA device `gpu`, or the CPU for -1. Throws RunError if LibTorch has no such device.
torch::Device torch_device(int gpu);

/// The stream of the calling thread on a GPU, which is not the default one; the only one of the CPU. Always the same,
/// as libraries keep memory for each stream.
c10::Stream own_stream(torch::Device device);

/// Sets whether float32 products and convolutions on GPUs may round their factors to TF32. Applies to the whole
/// process. By default, LibTorch does so for convolutions. Local.
void use_tf32(bool on);

}  // namespace sheaf
