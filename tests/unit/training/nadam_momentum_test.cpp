// SPDX-License-Identifier: MIT
#include "training/nadam_momentum.hpp"

#include <cmath>

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("the weights of nadam's steps equal PyTorch's formula, in any order of the steps") {
  for (const double beta1 : {0.0, 0.5, 0.9, 0.99999}) {
    const NadamMomentum momentum(beta1);
    const auto mu = [=](int step) { return beta1 * (1 - 0.5 * std::pow(0.96, step * 4e-3)); };  // steps from 1
    double product = 1;
    for (int step = 1; step < 3000; ++step) {
      product *= mu(step);
      const auto [gradient, mean] = momentum.weights(step - 1);
      const bool right = gradient == Approx((1 - mu(step)) / (1 - product)).epsilon(1e-14) &&
                         mean == Approx(mu(step + 1) / (1 - product * mu(step + 1))).epsilon(1e-14).margin(1e-300);
      if (!right) FAIL("beta1 " << beta1 << ", step " << step);
    }
    const auto again = momentum.weights(7), fresh = NadamMomentum(beta1).weights(7);
    CHECK(again.gradient == fresh.gradient);
    CHECK(again.mean == fresh.mean);
  }
}
