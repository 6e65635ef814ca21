// The properties that every metric of the table has.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "models/predictions.hpp"
#include "study/key_defaults.hpp"
#include "study/losses.hpp"
#include "study/metrics.hpp"
#include "support/catch.hpp"
#include "support/regression_study.hpp"
#include "unit/training/metrics/metric_pieces.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

// The kinds of outputs to which a metric applies.
std::vector<Scoring> scorings_of(const Metric& metric, std::int64_t width) {
  if (metric.task == Task::regression) return {{Task::regression, LossKind::mse, false, width}};
  std::vector<Scoring> scorings;
  for (const LossKind loss : {LossKind::mse, LossKind::cross_entropy, LossKind::bce})
    for (const bool probabilities : {false, true})
      if (applies_to(metric, metric.task, loss)) scorings.push_back({metric.task, loss, probabilities, width});
  return scorings;
}

// Calls check(metric, scoring, rows) for every metric, several widths and kinds of outputs.
template <class Check>
void for_each_metric(std::int64_t count, const Check& check) {
  for (const Metric& metric : metric_table)
    for (const std::int64_t width : {1, 2, 3, 5}) {
      if (metric.task == Task::classification && width == 1) continue;
      if (metric.kind == MetricKind::top_3_accuracy && width <= 3) continue;  // is always 1
      for (const Scoring& scoring : scorings_of(metric, width)) {
        MetricRows rows = metric_rows(count, width);
        if (metric.task == Task::classification)
          for (float& output : rows.outputs) output -= 100;
        if (scoring.probabilities) make_predictions(scoring.loss.kind, width, rows.outputs.data(), count);
        rows.predict_labels();
        CAPTURE(metric.name, width, static_cast<int>(scoring.loss.kind), scoring.probabilities);
        check(metric, scoring, rows);
      }
    }
}

}  // namespace

TEST_CASE("names and labels of metrics are unique") {
  std::set<std::string_view> names, labels;
  for (const Metric& metric : metric_table) {
    CHECK(names.insert(metric.name).second);
    CHECK(labels.insert(metric.label).second);
    CHECK(metric.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos);
    CHECK(find_metric(metric.name) == &metric);
    CHECK(&metric_of(metric.kind) == &metric);
  }
  CHECK(find_metric("loss") == nullptr);
}

TEST_CASE("a study's score is the selected metric, or the default of the task") {
  for (const Metric& metric : metric_table) {
    Study study = test::regression_study();
    study.data.task = metric.task;
    study.search.metric = metric.name;
    CHECK(&score_metric(study) == &metric);
    study.search.metric = "loss";
    CHECK(&score_metric(study) == &default_metric(metric.task));
  }
}

TEST_CASE("every task has a default metric") {
  CHECK(default_metric(Task::classification).kind == MetricKind::accuracy);
  CHECK(default_metric(Task::regression).kind == MetricKind::r2);
  CHECK(default_metric(Task::regression, LossKind::huber).kind == MetricKind::mae);
  CHECK(default_metric(Task::classification, LossKind::mae).kind == MetricKind::accuracy);
  Study study;
  study.data.task = Task::regression;
  study.train.loss = LossKind::mae;
  CHECK(score_metric(study).kind == MetricKind::mae);
  study.search.keys = {{"train.loss", {"mse", "mae"}}};
  CHECK(score_metric(study).kind == MetricKind::r2);  // one for all trials
  study.search.keys = {{"train.huber_delta", {"1", "2"}}, {"train.loss", {"mae", "huber"}}};
  CHECK(score_metric(study).kind == MetricKind::mae);  // the default of both
  study.search.metric = "r2";
  CHECK(score_metric(study).kind == MetricKind::r2);
  CHECK_THROWS_AS(default_metric(Task::automatic), std::logic_error);
}

TEST_CASE("every metric computed in parts equals the metric of all rows") {
  for_each_metric(1500, [](const Metric& metric, const Scoring& scoring, MetricRows rows) {
    for (const bool has_weights : {false, true}) {
      for (std::int64_t row = 0; has_weights && row < rows.count; ++row)
        rows.weights.push_back(static_cast<float>(row % 7) * 0.3f);
      const double whole = value_of(scoring, metric.kind, rows, {rows.count});
      CHECK(std::isfinite(whole));
      CHECK(value_of(scoring, metric.kind, rows, {1, 1, 700, 701, rows.count}) == whole);
      CHECK(appended_value_of(scoring, metric.kind, rows, {rows.count}) == whole);
      for (const auto& ends : std::vector<std::vector<std::int64_t>>{
               {0, 1, 2, 2, rows.count}, {750, rows.count, rows.count}, {7, 1000, 1001, 1499, rows.count}})
        CHECK(appended_value_of(scoring, metric.kind, rows, ends) == Approx(whole).epsilon(1e-12));
    }
  });
}

TEST_CASE("a row with a weight counts as often as its weight") {
  for_each_metric(200, [](const Metric& metric, const Scoring& scoring, MetricRows rows) {
    std::vector<std::int64_t> repeated;
    for (std::int64_t row = 0; row < rows.count; ++row) {
      const std::int64_t times = 1 + row * row % 3;
      rows.weights.push_back(static_cast<float>(times));
      repeated.insert(repeated.end(), static_cast<std::size_t>(times), row);
    }
    const double weighted = value_of(scoring, metric.kind, rows, {rows.count});
    const MetricRows others = chosen_rows(rows, repeated);
    CHECK(weighted == Approx(value_of(scoring, metric.kind, others, {others.count})).epsilon(1e-12));
    rows.weights.clear();
    if (metric.kind == MetricKind::max_error) return;
    CHECK(weighted != Approx(value_of(scoring, metric.kind, rows, {rows.count})).epsilon(1e-6));
  });
}

TEST_CASE("the order of the rows does not matter, and of counts and ranks not a bit") {
  for_each_metric(200, [](const Metric& metric, const Scoring& scoring, const MetricRows& rows) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(rows.count));
    std::iota(order.begin(), order.end(), 0);
    std::reverse(order.begin(), order.end());
    std::rotate(order.begin(), order.begin() + 17, order.end());
    const double value = value_of(scoring, metric.kind, rows, {rows.count});
    const double other = value_of(scoring, metric.kind, chosen_rows(rows, order), {rows.count});
    CHECK(other == Approx(value).epsilon(1e-12));
    if (metric.family != MetricFamily::pointwise) CHECK(other == value);
  });
}

TEST_CASE("better predictions improve the value in the metric's direction") {
  for_each_metric(300, [](const Metric& metric, const Scoring& scoring, MetricRows rows) {
    const double value = value_of(scoring, metric.kind, rows, {rows.count});
    for (std::int64_t index = 0; index < rows.count * rows.width; ++index) {
      const auto at = static_cast<std::size_t>(index);
      const bool is_label = index % rows.width == rows.labels[at / static_cast<std::size_t>(rows.width)];
      const float right = scoring.probabilities ? 1.0f : 9.0f, wrong = scoring.probabilities ? 0.0f : -9.0f;
      rows.outputs[at] = metric.task == Task::regression ? rows.targets[at] : is_label ? right : wrong;
    }
    rows.predict_labels();
    const double best = value_of(scoring, metric.kind, rows, {rows.count});
    CHECK((metric.larger_is_better() ? best > value : best < value));
    CHECK(
        best ==
        Approx(metric.larger_is_better() ? 1 : 0).margin(metric.losses == MetricLosses::probabilities ? 0.01 : 1e-12));
  });
}

TEST_CASE("a metric of fewer rows than it needs is not defined, and a metric of outputs that are NaN is not a number") {
  for_each_metric(40, [](const Metric& metric, const Scoring& scoring, MetricRows rows) {
    if (metric.min_rows > 1) {
      const MetricRows first = chosen_rows(rows, {0});
      CHECK(std::isnan(value_of(scoring, metric.kind, first, {1})));
      CHECK_FALSE(metric.undefined.empty());
    }
    if (metric.task == Task::classification && metric.family != MetricFamily::ranked &&
        metric.losses == MetricLosses::all)
      return;  // computed from the order of the outputs
    std::fill_n(rows.outputs.begin(), rows.width, std::numeric_limits<float>::quiet_NaN());
    CHECK(std::isnan(value_of(scoring, metric.kind, rows, {rows.count})));
  });
}
