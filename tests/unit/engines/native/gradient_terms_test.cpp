// SPDX-License-Identifier: MIT
#include "engines/native/gradient_terms.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

namespace {

// Parameters of a layer of two inputs with a bias, and their gradients.
class Layer {
 public:
  Layer() {
    weights_ = parameters_.add_weights(2);
    bias_ = parameters_.add(1);
    ArenaLayout sizes;
    parameters_.lay_out(sizes, true);
    arena_ = Arena(sizes.bytes());
    ArenaLayout arrays(arena_.data());
    parameters_.lay_out(arrays, true);
  }

  double& parameter(std::int64_t index) { return *parameters_.at(offset(index)); }
  double& gradient(std::int64_t index) { return *parameters_.gradients_at(offset(index)); }

  /// The gradient after the terms of `train`, which has some.
  std::vector<double> after(const TrainOptions& train) {
    const GradientTerms<double> terms(train);
    CHECK(terms.is_active());
    terms(parameters_);
    return {gradient(0), gradient(1), gradient(2)};
  }

 private:
  std::int64_t offset(std::int64_t index) const { return index < 2 ? weights_ + index : bias_; }

  Parameters<double> parameters_;
  std::int64_t weights_, bias_;
  Arena arena_;
};

std::vector<double> clipped(double norm, double value, const std::vector<double>& gradient = {3, -4, 0}) {
  TrainOptions train = test::plain_training();
  train.clip_norm = norm;
  train.clip_value = value;
  Layer layer;
  for (std::int64_t index = 0; index < 3; ++index) layer.gradient(index) = gradient[static_cast<std::size_t>(index)];
  return layer.after(train);
}

}  // namespace

TEST_CASE("a gradient with a larger norm is scaled to the largest one, and others stay") {
  const double factor = 2.5 / (5 + 1e-6);
  CHECK(clipped(2.5, 0)[0] == Approx(3 * factor).epsilon(1e-15));
  CHECK(clipped(2.5, 0)[1] == Approx(-4 * factor).epsilon(1e-15));
  CHECK(clipped(5, 0)[0] == Approx(3 / (1 + 2e-7)).epsilon(1e-15));  // as in PyTorch
  CHECK(clipped(5.001, 0)[0] == 3);
}

TEST_CASE("each element of a gradient is limited") {
  CHECK(clipped(0, 3.5)[0] == 3);
  CHECK(clipped(0, 3.5)[1] == -3.5);
}

TEST_CASE("clipping does not hide that a gradient is not finite") {
  std::vector<double> gradient = {3, -4, std::numeric_limits<double>::quiet_NaN()};
  CHECK(std::isnan(clipped(2, 0, gradient)[0]));
  CHECK(std::isnan(clipped(0, 2, gradient)[2]));
  gradient[2] = std::numeric_limits<double>::infinity();
  CHECK(std::isnan(clipped(2, 0, gradient)[2]));
}

TEST_CASE("the gradient of the L1 penalty has the signs of the weights and is clipped with the rest") {
  TrainOptions train = test::plain_training();
  train.l1 = 0.5;
  for (const double limit : {0.0, 3.25}) {
    Layer layer;
    layer.parameter(0) = -0.1;
    layer.parameter(2) = 7;  // the bias has no penalty, a weight of 0 has none either
    layer.gradient(0) = 4;
    layer.gradient(2) = 1;
    train.clip_value = limit;
    CHECK(layer.after(train) == std::vector<double>{limit > 0 ? limit : 3.5, 0, 1});
  }
}

TEST_CASE("without penalty and limits there is nothing to do") {
  CHECK_FALSE(GradientTerms<float>(test::plain_training()).is_active());
}
