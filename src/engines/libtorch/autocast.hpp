// Mixed precision: products and convolutions in bfloat16, everything else in float32.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

namespace sheaf {

/// While it lives, LibTorch's functions cast their arguments on this kind of device as under PyTorch's
/// torch.autocast(device, torch.bfloat16), without its cache of weights: lanes would share it. For the calling thread;
/// does not nest. Casts are recorded, so backward passes need none.
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
