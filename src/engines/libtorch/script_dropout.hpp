// Dropout in TorchScript modules. LibTorch draws its masks from one generator for all threads; the masks here depend
// only on the seed of the iteration and on the step, so that results do not depend on lanes, ranks and restarts.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/script.h>

#include <optional>

#include "models/dropout_mask.hpp"

namespace sheaf {

/// Whether a node is a dropout that replace_dropout() replaces: torch.dropout or torch.feature_dropout, in place or
/// not, and switched on and off by the module.
bool is_replaced_dropout(const torch::jit::Node& node);

/// Replaces these functions in all code of the module, which must not have run yet. The module can then not be saved
/// for other programs.
void replace_dropout(const torch::jit::Module& module);

/// As long as it exists, replaced dropouts in this thread draw the masks of a step; the first one that is called has
/// the mask of layer 0. Without a step, a dropout that is switched on throws RunError.
class DropoutStep {
 public:
  explicit DropoutStep(std::optional<TrainingStep> step);
  ~DropoutStep();
  DropoutStep(const DropoutStep&) = delete;
  DropoutStep& operator=(const DropoutStep&) = delete;
};

}  // namespace sheaf
