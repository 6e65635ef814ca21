// The learning rate of each optimizer step. A schedule is a case in learning_rate_of.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "study/study.hpp"

namespace sheaf {

/// The learning rate of a step; steps of a training count from 0. Pure.
using LearningRate = std::function<double(std::int64_t step)>;

/// The learning rates that a trial asks for, when its epochs have `steps_per_epoch` steps each. Pure.
LearningRate learning_rate_of(const TrainOptions& train, std::int64_t steps_per_epoch);

}  // namespace sheaf
