// The momentum of NAdam, which grows during a training. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace sheaf {

/// The coefficients of NAdam's steps. They depend on the number of the step alone, so a resumed training has the same.
/// Source: PyTorch's NAdam with its default momentum_decay of 4e-3 (Dozat 2016, Incorporating Nesterov Momentum into
/// Adam).
class NadamMomentum {
 public:
  explicit NadamMomentum(double beta1);

  /// The direction of a step is (gradient * g + mean * m) / (sqrt(v) + epsilon), where g is the gradient, m its running
  /// mean and v the bias-corrected running mean of its square.
  struct Weights {
    double gradient, mean;
  };

  /// The weights in a step, counted from 0.
  Weights weights(std::int64_t step) const;

 private:
  double momentum(std::int64_t step) const;
  double rest(std::int64_t step) const;

  double beta1_;
  std::vector<double> products_;  // of the momenta up to each step, as long as 1 - product is less than 1
};

}  // namespace sheaf
