// SPDX-License-Identifier: MIT
#include "engines/libtorch/torch_device.hpp"

#include <ATen/Context.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/format.h>
#include <torch/cuda.h>

#include <map>
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
  if (!device.is_cuda()) return devices.getStream(device);
  constexpr bool high_priority = true;  // these streams have a pool of their own: no upload gets one of them
  thread_local std::map<c10::DeviceIndex, c10::Stream> streams;
  if (const auto made = streams.find(device.index()); made != streams.end()) return made->second;
  return streams.emplace(device.index(), devices.getStreamFromGlobalPool(device, high_priority)).first->second;
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
