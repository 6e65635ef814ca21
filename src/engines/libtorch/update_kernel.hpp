// Kernels that compute update_parameters() in one pass over the memory, instead of one pass for each operation.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "engines/libtorch/fused_update.hpp"
#include "engines/libtorch/stack_update.hpp"

namespace sheaf {

/// Computes update_parameters(). `fused`: what it rounds only once (FusedUpdate). Does not change the gradients.
using UpdateKernel =
    std::function<void(const StackShape& shape, const StackBatch& batch, StackState& state, int fused)>;

/// The arguments of a kernel. The tensors of `batch` and `state` must live as long as it runs. Throws std::logic_error
/// if they are not contiguous.
FusedUpdate fused_update(const StackShape& shape, const StackBatch& batch, StackState& state, int fused);

/// The kernel of this build for stacks on a device, or no function: for CPUs, and if it was built without nvcc or
/// without a LibTorch for CUDA. The kernel runs in LibTorch's current stream.
UpdateKernel update_kernel(torch::Device device);

}  // namespace sheaf
