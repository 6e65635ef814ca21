// SPDX-License-Identifier: MIT
#include "models/prediction_mean.hpp"

#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

std::vector<float> mean_of(const PredictionMean& mean) {
  std::vector<float> values(mean.size());
  mean.write(values.data());
  return values;
}

}  // namespace

TEST_CASE("predictions are averaged with the weights of their models") {
  const std::vector<float> one = {1, 0.25f}, two = {4, 0.75f}, three = {1000, 1000};
  PredictionMean mean;
  mean.add(one.data(), 2);
  CHECK(mean_of(mean) == one);
  mean.add(two.data(), 2);
  CHECK(mean_of(mean) == std::vector<float>{2.5f, 0.5f});
  mean.clear();
  mean.add(one.data(), 2, 0.25);
  mean.add(two.data(), 2, 0.5);
  mean.add(three.data(), 2, 0);
  CHECK(mean_of(mean) == std::vector<float>{3, static_cast<float>((0.0625 + 0.375) / 0.75)});
}

TEST_CASE("predictions are summed in double, and the next mean may have another size") {
  PredictionMean mean;
  const float large = 1e8f, small = 1;
  for (const float value : {large, small, -large}) mean.add(&value, 1);
  CHECK(mean_of(mean) == std::vector<float>{static_cast<float>(1.0 / 3)});
  mean.clear();
  const std::vector<float> values = {1, 2, 3};
  mean.add(values.data(), values.size());
  CHECK(mean_of(mean) == values);
}
