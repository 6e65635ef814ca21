// SPDX-License-Identifier: MIT
#include "training/learning_rate.hpp"

namespace sheaf {

LearningRate learning_rate_of(const TrainOptions& train) {
  return [rate = train.learning_rate](std::int64_t) { return rate; };
}

}  // namespace sheaf
