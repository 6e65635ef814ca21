// SPDX-License-Identifier: MIT
#include <c10/cuda/CUDAStream.h>
#include <c10/util/Exception.h>

#include <stdexcept>

#include "engines/libtorch/update_kernel.hpp"

namespace sheaf {

UpdateKernel update_kernel(torch::Device device) {
  if (!device.is_cuda()) return {};
  return [](const StackShape& shape, const StackBatch& batch, StackState& state, int fused) {
    try {
      launch_fused_update(fused_update(shape, batch, state, fused), c10::cuda::getCurrentCUDAStream().stream());
    } catch (const std::runtime_error& error) {
      TORCH_CHECK(false, "CUDA error: ", error.what());
    }
  };
}

}  // namespace sheaf
