// SPDX-License-Identifier: MIT
#include "training/metrics/score.hpp"

#include <limits>

#include "support/catch.hpp"
#include "support/row_sets.hpp"
#include "support/small_studies.hpp"

using namespace sheaf;
using namespace sheaf::test;

TEST_CASE("accuracy counts the rows whose largest prediction is their label") {
  const DataSet data = classification_data(1, {0, 0, 0, 0}, {0, 2, 1, 1}, 3);
  const std::vector<float> predictions = {5, 1, 2, /**/ 0, 3, 1, /**/ -3, -1, -2, /**/ 0.5f, 0.5f, 0};
  CHECK(prediction_score(predictions, data, row_set({0, 1, 2, 3})) ==
        0.5);                                                        // the last is a tie: the first of equals is 0
  CHECK(prediction_score({-1, -2, 0.5f}, data, row_set({1})) == 1);  // a subset of the rows
}

TEST_CASE("R2 is one minus residual by total squares, the mean over outputs") {
  const DataSet data = regression_data(1, {0, 0, 0}, {1, 10, 2, 20, 3, 60}, 2);
  // output 0: residual 0.25 + 0 + 1 of total 2; output 1: 100 + 0 + 0 of total 400 + 100 + 900 around 30
  const std::vector<float> predictions = {1.5f, 20, 2, 20, 2, 60};
  CHECK(prediction_score(predictions, data, row_set({0, 1, 2})) == Approx((1 - 1.25 / 2 + 1 - 100.0 / 1400) / 2));
}

TEST_CASE("a constant target scores 1 when predicted exactly and 0 when not") {
  const DataSet data = regression_data(1, {0, 0, 0}, {0.1f, 0.1f, 0.1f});
  CHECK(prediction_score({0.1f, 0.1f, 0.1f}, data, row_set({0, 1, 2})) == 1);
  CHECK(prediction_score({0.1f, 0.1f, 0.2f}, data, row_set({0, 1, 2})) == 0);
}
