// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace sheaf {

/// The weighted mean of the predictions of several models for the same rows. Only their sum is in memory. Not shared
/// between threads.
class PredictionMean {
 public:
  /// Begins a new mean.
  void clear();

  /// Adds the predictions of a model: `count` values, as many as of the models before. They are summed in double, in
  /// the order of the calls. `weight`: at least 0.
  void add(const float* predictions, std::size_t count, double weight = 1);

  /// The number of values.
  std::size_t size() const { return sums_.size(); }

  /// Writes the mean, [size()]. Requires a model with a positive weight.
  void write(float* mean) const;

 private:
  std::vector<double> sums_;  // of the weighted predictions
  double weight_sum_ = 0;
};

}  // namespace sheaf
