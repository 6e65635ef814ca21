// LibTorch's optimizer for a study's options.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/optim/optimizer.h>

#include <memory>

#include "study/study.hpp"

namespace sheaf {

/// Updates `parameters` from their `grad()`.
std::unique_ptr<torch::optim::Optimizer> make_optimizer(const TrainOptions& train, const torch::Tensor& parameters);

}  // namespace sheaf
