// SPDX-License-Identifier: MIT
#include "engines/libtorch/torch_device.hpp"

#include <ATen/Context.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/format.h>
#include <torch/cuda.h>

#include <mutex>
#include <optional>

#include "core/error.hpp"

namespace sheaf {

torch::Device torch_device(int gpu) {
  if (gpu < 0) return torch::kCPU;
  const auto count = static_cast<int>(torch::cuda::device_count());
  require(gpu < count, fmt::format("GPU {} cannot be used (LibTorch finds {} CUDA devices). Build with a LibTorch that "
                                   "has CUDA and fits the driver, or set run.device = cpu.",
                                   gpu, count));
  return {torch::kCUDA, static_cast<c10::DeviceIndex>(gpu)};
}

c10::Stream own_stream(torch::Device device) {
  const c10::impl::VirtualGuardImpl devices(device.type());
  return device.is_cuda() ? devices.getStreamFromGlobalPool(device) : devices.getStream(device);
}

void use_tf32(bool on) {
  static std::mutex mutex;
  static std::optional<bool> set;
  const std::lock_guard lock(mutex);
  if (set == on) return;
  set = on;
  at::globalContext().setAllowTF32CuBLAS(on);
  at::globalContext().setAllowTF32CuDNN(on);
}

}  // namespace sheaf
