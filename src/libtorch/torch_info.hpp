// LibTorch and the machine.
// SPDX-License-Identifier: MIT
#pragma once

#include "engine/torch_backend.hpp"

namespace sheaf {

/// LibTorch's view of the machine. Local.
TorchInfo torch_info();

/// measure_flops() (engine/product_speed.hpp) of LibTorch's own products, in float on one thread.
double measure_blas_flops();

}  // namespace sheaf
