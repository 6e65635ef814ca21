// SPDX-License-Identifier: MIT
#include <cuda_runtime_api.h>

#include <cstring>
#include <string>

#include "parallel/devices/gpus.hpp"

namespace sheaf {

VisibleGpus find_gpus() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorInsufficientDriver)
    return {{}, "the NVIDIA driver is missing or too old for this CUDA version"};
  if (status != cudaSuccess) return {{}, cudaGetErrorString(status)};
  VisibleGpus visible;
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties;
    // Skipping one GPU would change the numbers of the others.
    if (const cudaError_t error = cudaGetDeviceProperties(&properties, device); error != cudaSuccess)
      return {{}, "GPU " + std::to_string(device) + " does not respond: " + cudaGetErrorString(error)};
    std::int64_t id = 0;
    std::memcpy(&id, properties.uuid.bytes, sizeof id);
    visible.gpus.push_back({id, properties.name, static_cast<double>(properties.totalGlobalMem)});
  }
  if (visible.gpus.empty()) visible.none_reason = "CUDA found no GPU";
  return visible;
}

}  // namespace sheaf
