// Compares a kernel with LibTorch's operators.
// SPDX-License-Identifier: MIT
#pragma once

#include "engines/libtorch/update_test.hpp"
#include "study/optimizers.hpp"

// LibTorch has macros with these names.
#include "support/catch.hpp"

namespace sheaf::test {

/// Checks that the kernel gives the bits of the operators on `device`, for all optimizers and both precisions.
inline void check_kernel(const UpdateKernel& kernel, torch::Device device, UpdateSize size) {
  StackShape shape;
  for (const Optimizer& optimizer : optimizer_table)
    for (const auto type : {torch::kFloat32, torch::kFloat64}) {
      shape.optimizer = optimizer.kind;
      shape.precision = type == torch::kFloat64 ? Precision::float64 : Precision::float32;
      const UpdateTest test = test_update(kernel, shape, torch::TensorOptions(type).device(device), size);
      INFO(optimizer.name << ", float" << (type == torch::kFloat64 ? 64 : 32) << ", " << size.slots << " slots of "
                          << size.stride << " values: " << test.problem);
      CHECK(test.fused);
    }
}

}  // namespace sheaf::test
