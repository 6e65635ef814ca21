// SPDX-License-Identifier: MIT
#include "training/metrics/ranked.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/catch.hpp"
#include "unit/training/metrics/metric_pieces.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

const Scoring three_classes{Task::classification, LossKind::cross_entropy, false, 3};

RankedRows ranked(const MetricRows& rows) {
  RankedRows ranked(three_classes);
  ranked.add(rows.slice(0, rows.count));
  return ranked;
}

double area_of(const RankedRows& rows, std::int64_t threads = 1) {
  return ranked_metrics({MetricKind::roc_auc}, rows, threads).front();
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
    const double area = area_of(ranked(rows), 1);
    CHECK(area == Approx(mean).epsilon(1e-12));
    for (const std::int64_t threads : {2, 3, 8}) CHECK(area_of(ranked(rows), threads) == area);
  }
}

TEST_CASE("metrics computed together equal those computed alone, also of many sorted rows") {
  for (const std::int64_t count : {100, 4500}) {
    const RankedRows rows = ranked(metric_rows(count, 3));
    const std::vector<MetricKind> metrics = {MetricKind::average_precision, MetricKind::roc_auc,
                                             MetricKind::roc_auc_weighted};
    const auto together = ranked_metrics(metrics, rows, 2);
    REQUIRE(together.size() == metrics.size());
    for (std::size_t number = 0; number < metrics.size(); ++number)
      CHECK(together[number] == ranked_metrics({metrics[number]}, rows).front());
  }
}

TEST_CASE("the median error of many rows is that of the sorted errors") {
  const Scoring values{Task::regression, LossKind::mse, false, 2};
  for (const std::int64_t count : {1, 2, 7, 5000, 5001}) {
    const MetricRows rows = metric_rows(count, 2);
    double mean = 0;
    for (std::size_t output = 0; output < 2; ++output) {
      std::vector<double> errors;
      for (std::size_t index = output; index < rows.outputs.size(); index += 2)
        errors.push_back(std::abs(double{rows.targets[index]} - double{rows.outputs[index]}));
      std::sort(errors.begin(), errors.end());
      mean += (errors[(errors.size() - 1) / 2] + errors[errors.size() / 2]) / 4;
    }
    RankedRows all(values);
    all.add(rows.slice(0, count));
    for (const std::int64_t threads : {1, 2})
      CHECK(ranked_metrics({MetricKind::median_ae}, all, threads).front() == Approx(mean).epsilon(1e-14));
    const RankedRows restored(values, all.outputs(), {}, all.targets(), {});
    CHECK(restored.count() == count);
    CHECK(ranked_metrics({MetricKind::median_ae}, restored) == ranked_metrics({MetricKind::median_ae}, all));
  }
}

TEST_CASE("scores of both signs are in the right order") {
  const Scoring values{Task::classification, LossKind::mse, false, 2};
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
    CHECK(area_of(ranked) == Approx(1 - 2 / (half * half)).epsilon(1e-15));
  }
}

TEST_CASE("the order of rows with weights does not change the last bit") {
  const std::vector<MetricKind> metrics = {MetricKind::roc_auc_weighted, MetricKind::average_precision};
  for (const std::int64_t count : {100, 6000}) {  // many rows are sorted in another way
    MetricRows rows = metric_rows(count, 3);
    for (float& output : rows.outputs) output = std::round(2 * output) / 2;  // many are equal
    for (std::int64_t row = 0; row < count; ++row)
      rows.weights.push_back(0.1f * static_cast<float>(1 + row * row % 17));
    RankedRows backwards(three_classes);
    for (std::int64_t end = count; end > 0; end -= 20) backwards.add(rows.slice(end - 20, end));
    const RankedRows restored(three_classes, backwards.outputs(), backwards.labels(), {}, backwards.weights());
    const auto values = ranked_metrics(metrics, ranked(rows));
    CHECK(ranked_metrics(metrics, backwards) == values);
    CHECK(ranked_metrics(metrics, restored) == values);
    rows.weights.clear();
    CHECK(ranked_metrics(metrics, ranked(rows)) != values);
  }
}

TEST_CASE("restored rows have the same value, and weights may begin with later rows") {
  MetricRows rows = metric_rows(60, 3);
  const RankedRows first = ranked(rows);
  CHECK(area_of(RankedRows(three_classes, first.outputs(), first.labels(), {}, {})) == area_of(first));
  MetricRows more = metric_rows(40, 3);
  more.weights.assign(40, 2);
  RankedRows joined = ranked(rows), added = ranked(rows), reversed = ranked(more);
  joined.append(ranked(more));
  added.add(more.slice(0, 40));
  reversed.append(ranked(rows));
  const double area = area_of(joined);
  CHECK(area_of(added) == area);
  CHECK(area_of(reversed) == area);
  CHECK(joined.weight(59) == 1);
  CHECK(joined.weight(60) == 2);
  CHECK(reversed.weight(40) == 1);
}
