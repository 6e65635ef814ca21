// Decides whether a stack is updated by a kernel or by update_parameters(): the results must be the same.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "engines/libtorch/update_kernel.hpp"

namespace sheaf {

using StackUpdate = std::function<void(const StackShape& shape, const StackBatch& batch, StackState& state)>;

/// Remembers which kernels have passed their test. Local, thread-safe.
class UpdateChoices {
 public:
  /// `kernel` if it passes test_update(), else update_parameters() and a line in the log. The test is run once for each
  /// device, optimizer and precision. No kernel: update_parameters().
  StackUpdate choose(const UpdateKernel& kernel, const StackShape& shape, const torch::TensorOptions& options);

 private:
  using Key = std::tuple<c10::DeviceIndex, OptimizerKind, Precision>;

  std::mutex mutex_;
  std::map<Key, std::optional<int>> passed_;
};

/// The choice for the kernel of this build for the device of `options`, the same in the whole process.
StackUpdate chosen_update(const StackShape& shape, const torch::TensorOptions& options);

}  // namespace sheaf
