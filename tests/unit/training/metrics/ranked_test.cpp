// SPDX-License-Identifier: MIT
#include "training/metrics/ranked.hpp"

#include <cmath>
#include <vector>

#include "support/catch.hpp"
#include "unit/training/metrics/metric_pieces.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

constexpr Scoring three_classes{Task::classification, LossKind::cross_entropy, false, 3};

RankedRows ranked(const MetricRows& rows) {
  RankedRows ranked(three_classes);
  ranked.add(rows.slice(0, rows.count));
  return ranked;
}

// The fraction of pairs of rows in the right order, by its definition.
double area_by_pairs(const MetricRows& rows, std::int64_t label) {
  double right = 0, pairs = 0;
  const auto score = [&](std::int64_t row) {
    const float* const outputs = rows.outputs.data() + row * rows.width;
    return class_probability(three_classes, outputs, row_scale(three_classes, outputs), label);
  };
  for (std::int64_t one = 0; one < rows.count; ++one)
    for (std::int64_t other = 0; other < rows.count; ++other) {
      if (rows.labels[static_cast<std::size_t>(one)] != label || rows.labels[static_cast<std::size_t>(other)] == label)
        continue;
      ++pairs;
      right += score(one) > score(other) ? 1 : score(one) == score(other) ? 0.5 : 0;
    }
  return right / pairs;
}

}  // namespace

TEST_CASE("the area under the curve is the fraction of pairs in the right order, for any number of threads") {
  for (const std::int64_t count : {100, 4500}) {  // many rows are sorted in another way
    MetricRows rows = metric_rows(count, 3);
    for (std::size_t index = 0; index < rows.outputs.size() / 2; ++index)
      rows.outputs[index] = std::round(8 * rows.outputs[index]) / 8;  // some are equal
    double mean = 0;
    for (std::int64_t label = 0; label < 3; ++label) mean += area_by_pairs(rows, label) / 3;
    const double area = ranked_metric(MetricKind::roc_auc, ranked(rows), 1);
    CHECK(area == Approx(mean).epsilon(1e-12));
    for (const std::int64_t threads : {2, 3, 8})
      CHECK(ranked_metric(MetricKind::roc_auc, ranked(rows), threads) == area);
  }
}

TEST_CASE("scores of both signs are in the right order") {
  constexpr Scoring values{Task::classification, LossKind::mse, false, 2};
  for (const std::int64_t count : {200, 8192}) {
    MetricRows rows{count, 2, {}, {}, {}, {}};
    for (std::int64_t row = 0; row < count; ++row) {  // class 1 is above class 0, except for the four values near 0
      const auto size = static_cast<float>(1 + row / 2);
      rows.outputs.insert(rows.outputs.end(), {0.0f, row < 4        ? (row % 2 == 0 ? 0.0f : -0.0f)
                                                     : row % 2 == 0 ? -size
                                                                    : size});
      rows.labels.push_back(row % 2);
    }
    rows.predict_labels();
    RankedRows ranked(values);
    ranked.add(rows.slice(0, count));
    const auto half = static_cast<double>(count / 2);
    CHECK(ranked_metric(MetricKind::roc_auc, ranked) == Approx(1 - 2 / (half * half)).epsilon(1e-15));
  }
}

TEST_CASE("restored rows have the same value, and weights may begin with later rows") {
  MetricRows rows = metric_rows(60, 3);
  const RankedRows first = ranked(rows);
  CHECK(ranked_metric(MetricKind::roc_auc, RankedRows(three_classes, first.outputs(), first.labels())) ==
        ranked_metric(MetricKind::roc_auc, first));
  MetricRows more = metric_rows(40, 3);
  more.weights.assign(40, 2);
  RankedRows joined = ranked(rows), added = ranked(rows), reversed = ranked(more);
  joined.append(ranked(more));
  added.add(more.slice(0, 40));
  reversed.append(ranked(rows));
  const double area = ranked_metric(MetricKind::roc_auc, joined);
  CHECK(ranked_metric(MetricKind::roc_auc, added) == area);
  CHECK(ranked_metric(MetricKind::roc_auc, reversed) == area);
  CHECK(joined.weight(59) == 1);
  CHECK(joined.weight(60) == 2);
  CHECK(reversed.weight(40) == 1);
}
