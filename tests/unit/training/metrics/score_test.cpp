// SPDX-License-Identifier: MIT
#include "training/metrics/score.hpp"

#include <cmath>
#include <utility>

#include "study/metrics.hpp"
#include "support/catch.hpp"
#include "support/row_sets.hpp"
#include "support/small_studies.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

double score_of(MetricKind metric, const std::vector<float>& predictions, const DataSet& data, const RowSet& rows) {
  const LossKind loss = data.task == Task::regression ? LossKind::mse : LossKind::cross_entropy;
  const Scoring scoring{data.task, loss, false, data.output_count, {}, data.target_offsets};
  return prediction_scores({metric}, {scoring, predictions, data, rows}).front();
}

}  // namespace

TEST_CASE("accuracy counts the rows whose largest prediction is at their label") {
  const DataSet data = classification_data(1, {0, 0, 0, 0}, {0, 2, 1, 1}, 3);
  const std::vector<float> predictions = {5, 1, 2, /**/ 0, 3, 1, /**/ -3, -1, -2, /**/ 0.5f, 0.5f, 0};
  CHECK(score_of(MetricKind::accuracy, predictions, data, row_set({0, 1, 2, 3})) ==
        0.5);  // the last row is a tie, where the first of the equal outputs counts
  CHECK(score_of(MetricKind::accuracy, {-1, -2, 0.5f}, data, row_set({1})) == 1);  // a subset of the rows
}

TEST_CASE("weights count, and metrics of rows that all have the weight 0 are not defined") {
  const DataSet data = regression_data(1, {0, 0, 0}, {1, 2, 3});
  const std::vector<float> predictions = {1, 2, 4};
  const Scoring scoring{Task::regression, LossKind::mse, false, 1};
  const RowSet rows = row_set({0, 1, 2});
  CHECK(prediction_scores({MetricKind::mse}, {scoring, predictions, data, rows, {1, 1, 2}}).front() == Approx(0.5));
  CHECK(prediction_loss({scoring, predictions, data, rows, {1, 1, 2}}) == Approx(0.5));
  for (const MetricKind metric : {MetricKind::r2, MetricKind::mse, MetricKind::explained_variance})
    CHECK(std::isnan(prediction_scores({metric}, {scoring, predictions, data, rows, {0, 0, 0}}).front()));
}

TEST_CASE("R2 is one minus the ratio of residual to total sum of squares, averaged over outputs") {
  const DataSet data = regression_data(1, {0, 0, 0}, {1, 10, 2, 20, 3, 60}, 2);
  // Output 0: residual 0.25 + 0 + 1, total 2. Output 1: residual 100 + 0 + 0, total 400 + 100 + 900 around the mean 30.
  const std::vector<float> predictions = {1.5f, 20, 2, 20, 2, 60};
  CHECK(score_of(MetricKind::r2, predictions, data, row_set({0, 1, 2})) ==
        Approx((1 - 1.25 / 2 + 1 - 100.0 / 1400) / 2));
}

TEST_CASE("relative errors are those of targets with their offsets") {
  DataSet data = regression_data(1, {0, 0}, {-1, 100, 3, 300}, 2);
  const std::vector<float> predictions = {1, 110, 0, 290};
  CHECK(score_of(MetricKind::mape, predictions, data, row_set({0, 1})) ==
        Approx((2.0 / 1 + 10.0 / 100 + 3.0 / 3 + 10.0 / 300) / 4));
  data.target_offsets = {1e6, -200};
  CHECK(score_of(MetricKind::mape, predictions, data, row_set({0, 1})) ==
        Approx((2.0 / 999999 + 10.0 / 100 + 3.0 / 1000003 + 10.0 / 100) / 4));
  CHECK(score_of(MetricKind::mae, predictions, data, row_set({0, 1})) == 25.0 / 4);
}

TEST_CASE("the score of many rows, some of them repeated, uses each row's own target or label") {
  constexpr std::int64_t rows = 4000, outputs = 2;
  std::vector<float> targets, features(rows), predictions;
  std::vector<std::int64_t> labels, chosen;
  for (std::int64_t row = 0; row < rows; ++row) {
    targets.push_back(static_cast<float>(row * row % 17));
    targets.push_back(static_cast<float>(std::cos(static_cast<double>(row))));
    labels.push_back(row * row % 5 % outputs);
    for (std::int64_t time = 0; time < row % 3; ++time) chosen.push_back(row);
  }
  const DataSet values = regression_data(1, features, targets, outputs);
  const DataSet classes = classification_data(1, features, labels, outputs);
  for (const std::int64_t row : chosen)
    predictions.insert(predictions.end(), targets.begin() + row * outputs, targets.begin() + (row + 1) * outputs);
  CHECK(score_of(MetricKind::r2, predictions, values, row_set(chosen)) == 1);
  predictions.clear();
  for (const std::int64_t row : chosen)
    for (std::int64_t output = 0; output < outputs; ++output)
      predictions.push_back(labels[static_cast<std::size_t>(row)] == output ? 2.0f : 1.0f);
  CHECK(score_of(MetricKind::accuracy, predictions, classes, row_set(chosen)) == 1);
  std::swap(predictions[5000], predictions[5001]);  // swaps two outputs of one row
  const auto count = static_cast<double>(chosen.size());
  CHECK(score_of(MetricKind::accuracy, predictions, classes, row_set(chosen)) == (count - 1) / count);
}
