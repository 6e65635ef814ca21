// SPDX-License-Identifier: MIT
#include "training/learning_rate.hpp"

#include "study/key_defaults.hpp"

namespace sheaf {

LearningRate learning_rate_of(const TrainOptions& train) {
  return [rate = initial_learning_rate(train)](std::int64_t) { return rate; };
}

}  // namespace sheaf
