// Whether a kernel computes the same as update_parameters().
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engines/libtorch/update_kernel.hpp"

namespace sheaf {

/// The size of the tensors [slots, stride] of a test. By default two groups for each slot, one of which is not full.
struct UpdateSize {
  std::int64_t slots = 7, stride = 2 * update_group_size * update_values_of_item - 64;
};

/// What test_update() found.
struct UpdateTest {
  std::optional<int> fused;  ///< with this argument the kernel gives the bits of update_parameters()
  std::string problem;       ///< if there is none: why
};

/// Runs `kernel` and update_parameters() once on the same drawn state, with and without averages: slots with ordinary
/// values, denormals, very large values and NaN, and an idle slot. Compares the bits of the parameters, the averages
/// and the state of the optimizer; of NaN only the places. The device and the precision are those of `options`, the
/// optimizer that of `shape`. Throws nothing: an error of the kernel is a problem, too.
UpdateTest test_update(const UpdateKernel& kernel, const StackShape& shape, const torch::TensorOptions& options,
                       UpdateSize size = {});

}  // namespace sheaf
