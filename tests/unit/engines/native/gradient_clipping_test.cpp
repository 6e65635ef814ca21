// SPDX-License-Identifier: MIT
#include "engines/native/gradient_clipping.hpp"

#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

namespace {

struct alignas(64) Gradient {
  double values[16] = {3, -4};
};

Gradient clipped(double norm, double value, Gradient gradient = {}) {
  TrainOptions train = test::plain_training();
  train.clip_norm = norm;
  train.clip_value = value;
  const GradientClipping<double> clipping(train);
  CHECK(clipping.is_active());
  clipping(gradient.values, 16);
  return gradient;
}

}  // namespace

TEST_CASE("a gradient with a larger norm is scaled to the largest one, and others stay") {
  const double factor = 2.5 / (5 + 1e-6);
  CHECK(clipped(2.5, 0).values[0] == Approx(3 * factor).epsilon(1e-15));
  CHECK(clipped(2.5, 0).values[1] == Approx(-4 * factor).epsilon(1e-15));
  CHECK(clipped(5, 0).values[0] == Approx(3 / (1 + 2e-7)).epsilon(1e-15));  // as in PyTorch
  CHECK(clipped(5.001, 0).values[0] == 3);
}

TEST_CASE("each element of a gradient is limited") {
  CHECK(clipped(0, 3.5).values[0] == 3);
  CHECK(clipped(0, 3.5).values[1] == -3.5);
}

TEST_CASE("clipping does not hide that a gradient is not finite") {
  Gradient gradient;
  gradient.values[2] = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(clipped(2, 0, gradient).values[0]));
  CHECK(std::isnan(clipped(0, 2, gradient).values[2]));
  gradient.values[2] = std::numeric_limits<double>::infinity();
  CHECK(std::isnan(clipped(2, 0, gradient).values[2]));
}

TEST_CASE("without limits there is no clipping") {
  CHECK_FALSE(GradientClipping<float>(test::plain_training()).is_active());
}
