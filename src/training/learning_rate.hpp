// The learning rate of each optimizer step. To add a schedule, add a case to learning_rate_of().
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "study/study.hpp"

namespace sheaf {

/// Returns the learning rate of an optimizer step. Steps count from 0 at the start of the training. Pure.
using LearningRate = std::function<double(std::int64_t step)>;

/// The learning rates of a trial whose epochs have `steps_per_epoch` steps each. Pure.
LearningRate learning_rate_of(const TrainOptions& train, std::int64_t steps_per_epoch);

}  // namespace sheaf
