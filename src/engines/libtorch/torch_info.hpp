// LibTorch and the machine.
// SPDX-License-Identifier: MIT
#pragma once

#include "engines/torch_backend.hpp"

namespace sheaf {

/// LibTorch's view of the machine. Local.
TorchInfo torch_info();

/// Throws RunError when the LibTorch that was loaded has another version than the one that this library was built with.
void require_torch_of_build();

/// measure_flops() (engines/native/product_speed.hpp) of LibTorch's own products, in float on one thread.
double measure_blas_flops();

}  // namespace sheaf
