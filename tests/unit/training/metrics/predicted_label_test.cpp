// SPDX-License-Identifier: MIT
#include "training/metrics/predicted_label.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("the predicted label is the index of the first largest output; NaN is never larger") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto label = [](const std::vector<float>& row) {
    return predicted_label(row.data(), static_cast<std::int64_t>(row.size()));
  };
  CHECK(label({-3}) == 0);
  CHECK(label({-3, -1, -2}) == 1);
  CHECK(label({2, 5, 5, 1}) == 1);
  CHECK(label({0, -0.0f, 0}) == 0);
  CHECK(label({1, nan, 2, nan}) == 2);
  CHECK(label({nan, 1}) == 0);
}
