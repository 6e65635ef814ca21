// SPDX-License-Identifier: MIT
#include "training/metrics/predicted_label.hpp"

#include <limits>
#include <optional>
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

TEST_CASE("labels are predicted from a threshold on, those of several labels per row one by one") {
  const auto predicted = [](const Scoring& scoring, std::optional<double> threshold,
                            const std::vector<float>& outputs) {
    std::vector<std::int64_t> labels = {7};
    predict_labels(scoring, threshold, outputs.data(), static_cast<std::int64_t>(outputs.size()) / 2, labels);
    return labels;
  };
  using Labels = std::vector<std::int64_t>;
  Scoring classes{Task::classification, LossKind::cross_entropy, true, 2};
  CHECK(predicted(classes, std::nullopt, {0.7f, 0.3f, 0.4f, 0.6f}) == Labels{0, 1});
  CHECK(predicted(classes, 0.25, {0.7f, 0.3f, 0.4f, 0.6f}) == Labels{1, 1});
  classes.positive = 0;
  CHECK(predicted(classes, 0.5, {0.7f, 0.3f, 0.4f, 0.6f}) == Labels{0, 1});
  const Scoring logits{Task::multilabel, LossKind::bce, false, 2};
  CHECK(predicted(logits, std::nullopt, {0, -0.1f, 3, 2}) == Labels{1, 0, 1, 1});
  CHECK(predicted(logits, 0.9, {0, -0.1f, 3, 2}) == Labels{0, 0, 1, 0});
  const Scoring probabilities{Task::multilabel, LossKind::bce, true, 2};
  CHECK(predicted(probabilities, std::nullopt, {0.5f, 0.4f, 0, 1}) == Labels{1, 0, 0, 1});
  CHECK(predicted({Task::regression, LossKind::mse, false, 2}, std::nullopt, {1, 2}).empty());
}
