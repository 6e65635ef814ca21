// Mixed precision: products and convolutions in bfloat16, other operations in float32.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

namespace sheaf {

/// While the object exists, LibTorch casts arguments on this kind of device as in PyTorch's
/// torch.autocast(device, torch.bfloat16). The weight cache is off, because lanes would share it. Applies to the
/// calling thread; cannot be nested. Autograd records the casts, so backward passes need no Autocast.
class Autocast {
 public:
  explicit Autocast(torch::DeviceType device);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  torch::DeviceType device_;
};

}  // namespace sheaf
