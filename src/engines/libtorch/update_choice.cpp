// SPDX-License-Identifier: MIT
#include "engines/libtorch/update_choice.hpp"

#include <fmt/format.h>

#include "core/log.hpp"
#include "engines/libtorch/update_test.hpp"

namespace sheaf {

StackUpdate UpdateChoices::choose(const UpdateKernel& kernel, const StackShape& shape,
                                  const torch::TensorOptions& options) {
  if (!kernel) return update_parameters;
  const Key key{options.device().index(), shape.optimizer, shape.precision};
  const std::lock_guard lock(mutex_);
  if (passed_.count(key) == 0) {
    const UpdateTest test = test_update(kernel, shape, options);
    passed_[key] = test.fused;
    if (!test.fused)
      log_rank(fmt::format("GPU {}: LibTorch's operators update stacks with {} instead of the kernel ({})",
                           options.device().index(), optimizer_of(shape.optimizer).name, test.problem));
  }
  const std::optional<int> fused = passed_[key];
  if (!fused) return update_parameters;
  return [kernel, fused = *fused](const StackShape& of_stack, const StackBatch& batch, StackState& state) {
    kernel(of_stack, batch, state, fused);
  };
}

StackUpdate chosen_update(const StackShape& shape, const torch::TensorOptions& options) {
  static UpdateChoices choices;
  return choices.choose(update_kernel(options.device()), shape, options);
}

}  // namespace sheaf
