// SPDX-License-Identifier: MIT
#include "engines/libtorch/autocast.hpp"

#include <ATen/autocast_mode.h>
#include <torch/version.h>

namespace sheaf {
namespace {

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
void switch_autocast(torch::DeviceType device, bool on) {
  at::autocast::set_autocast_dtype(device, torch::kBFloat16);
  at::autocast::set_autocast_enabled(device, on);
}
#else  // older versions have one function per kind of device
void switch_autocast(torch::DeviceType device, bool on) {
  if (device == torch::kCPU) {
    at::autocast::set_autocast_cpu_dtype(torch::kBFloat16);
    at::autocast::set_cpu_enabled(on);
  } else {
    at::autocast::set_autocast_gpu_dtype(torch::kBFloat16);
    at::autocast::set_enabled(on);
  }
}
#endif

}  // namespace

Autocast::Autocast(torch::DeviceType device) : device_(device) {
  at::autocast::set_autocast_cache_enabled(false);
  switch_autocast(device_, true);
}

Autocast::~Autocast() {
  switch_autocast(device_, false);
}

}  // namespace sheaf
