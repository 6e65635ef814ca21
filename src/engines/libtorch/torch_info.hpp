// The properties of LibTorch on this machine.
// SPDX-License-Identifier: MIT
#pragma once

#include "engines/torch_backend.hpp"

namespace sheaf {

/// The version of LibTorch, its instruction set and the GPUs that it can use. Local.
TorchInfo torch_info();

/// Throws RunError if the loaded LibTorch has another version than the one that this library was built with.
void require_torch_of_build();

/// measure_flops() (engines/native/kernels/product_speed.hpp) of LibTorch's products, in float with one thread.
double measure_blas_flops();

}  // namespace sheaf
