// SPDX-License-Identifier: MIT
#include "models/prediction_mean.hpp"

#include <algorithm>
#include <cassert>

namespace sheaf {

void PredictionMean::clear() {
  sums_.clear();
  weight_sum_ = 0;
}

void PredictionMean::add(const float* predictions, std::size_t count, double weight) {
  assert(sums_.empty() || sums_.size() == count);
  sums_.resize(count);
  for (std::size_t index = 0; index < count; ++index) sums_[index] += weight * double{predictions[index]};
  weight_sum_ += weight;
}

void PredictionMean::write(float* mean) const {
  assert(weight_sum_ > 0);
  std::transform(sums_.begin(), sums_.end(), mean,
                 [this](double sum) { return static_cast<float>(sum / weight_sum_); });
}

}  // namespace sheaf
