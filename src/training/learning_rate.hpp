// The learning rate of each optimizer step. To add a schedule, add a case to learning_rate_of().
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "study/train_options.hpp"

namespace sheaf {

/// Returns the learning rate of an optimizer step. Steps count from 0 at the start of the training. Pure.
using LearningRate = std::function<double(std::int64_t step)>;

/// The learning rates that a trial sets; they are constant. Pure.
LearningRate learning_rate_of(const TrainOptions& train);

}  // namespace sheaf
