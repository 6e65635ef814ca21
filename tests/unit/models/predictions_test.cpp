// SPDX-License-Identifier: MIT
#include "models/predictions.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

bool look_like_probabilities(LossKind loss, std::int64_t width, const std::vector<float>& outputs) {
  return are_probabilities(loss, width, outputs.data(), static_cast<std::int64_t>(outputs.size()) / width);
}

}  // namespace

TEST_CASE("predictions of poisson are the exponentials of the outputs") {
  std::vector<float> outputs = {0, 1, -2, 200};
  make_predictions(LossKind::poisson, 2, outputs.data(), 2);
  CHECK(outputs == std::vector<float>{1, std::exp(1.0f), std::exp(-2.0f), std::numeric_limits<float>::infinity()});
  CHECK_FALSE(look_like_probabilities(LossKind::poisson, 2, {0.5f, 0.5f}));
}

TEST_CASE("outputs are probabilities if all are in 0..1 and, for cross entropy, every row adds up to 1") {
  const auto entropy = LossKind::cross_entropy, bce = LossKind::bce;
  CHECK(look_like_probabilities(entropy, 2, {0, 1, 0.25f, 0.75f}));
  CHECK(look_like_probabilities(entropy, 3, {0.3333f, 0.3333f, 0.3333f}));
  CHECK_FALSE(look_like_probabilities(entropy, 2, {0.5f, 0.5f, 0.5f, 0.498f}));  // the last row decides
  CHECK_FALSE(look_like_probabilities(entropy, 2, {1.5f, -0.5f}));
  CHECK_FALSE(look_like_probabilities(entropy, 2, {std::numeric_limits<float>::quiet_NaN(), 1}));
  CHECK(look_like_probabilities(bce, 2, {0.9f, 0.8f, 0, 0}));
  CHECK_FALSE(look_like_probabilities(bce, 2, {0.9f, 0.8f, 0, 1.01f}));
  CHECK_FALSE(look_like_probabilities(LossKind::mse, 2, {0.5f, 0.5f}));
  CHECK_FALSE(look_like_probabilities(entropy, 2, {}));
}
