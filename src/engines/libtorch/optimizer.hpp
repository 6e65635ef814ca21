// Makes LibTorch's optimizer for the options of a study.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/optim/optimizer.h>

#include <memory>

#include "study/train_options.hpp"

namespace sheaf {

/// The optimizer updates `parameters` with their `grad()`.
std::unique_ptr<torch::optim::Optimizer> make_optimizer(const TrainOptions& train, const torch::Tensor& parameters);

}  // namespace sheaf
