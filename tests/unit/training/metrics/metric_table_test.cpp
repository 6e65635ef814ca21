// The properties that every metric of the table has.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
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

constexpr Task tasks[] = {Task::classification, Task::multilabel, Task::regression};

// The kinds of outputs to which a metric applies.
std::vector<Scoring> scorings_of(const Metric& metric, std::int64_t width) {
  if (metric.losses == MetricLosses::quantiles) {
    std::vector<double> quantiles;
    for (std::int64_t output = 0; output < width; ++output)
      quantiles.push_back(static_cast<double>(output + 1) / static_cast<double>(width + 1));
    return {{Task::regression, LossKind::quantile, false, width, quantiles}};
  }
  if (metric.applies_to(Task::regression)) return {{Task::regression, LossKind::mse, false, width}};
  std::vector<Scoring> scorings;
  for (const Task task : {Task::classification, Task::multilabel})
    for (const LossKind loss : {LossKind::mse, LossKind::cross_entropy, LossKind::bce})
      for (const bool probabilities : {false, true})
        if (applies_to(metric, task, loss) && (task != Task::multilabel || loss_of(loss).fits_labels()))
          scorings.push_back({task, loss, probabilities, width});
  return scorings;
}

bool is_top(const Metric& metric) {
  return metric.kind == MetricKind::top_3_accuracy || metric.kind == MetricKind::top_k_accuracy;
}

double sample_parameter(const Metric& metric) {
  constexpr double values[] = {0, 1, 2, 0.8};  // in the order of MetricParameter
  return values[static_cast<std::size_t>(metric.parameter)];
}

// Calls check(metric, function, scoring, rows) for every metric, several widths and kinds of outputs.
template <class Check>
void for_each_metric(std::int64_t count, const Check& check) {
  for (const Metric& metric : metric_table)
    for (const std::int64_t width : {1, 2, 3, 5}) {
      if (!metric.applies_to(Task::regression) && width == 1) continue;
      if (is_top(metric) && width <= 3) continue;  // is always 1
      for (const Scoring& scoring : scorings_of(metric, width)) {
        MetricRows rows = scoring.task == Task::multilabel ? label_rows(count, width) : metric_rows(count, width);
        if (scoring.task == Task::classification)
          for (float& output : rows.outputs) output -= 100;
        if (scoring.probabilities) make_predictions(scoring.loss.kind, width, rows.outputs.data(), count);
        rows.predict_labels(scoring.probabilities);
        CAPTURE(metric.name, width, static_cast<int>(scoring.task), static_cast<int>(scoring.loss.kind),
                scoring.probabilities);
        check(metric, MetricFunction(metric.kind, sample_parameter(metric)), scoring, rows);
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
    const bool has_parameter = metric.parameter != MetricParameter::none;
    CHECK(read_metric(std::string(metric.name)).has_value() != has_parameter);
    CHECK(&metric_of(metric.kind) == &metric);
  }
  CHECK_FALSE(read_metric("loss").has_value());
}

TEST_CASE("metrics are read with their parameters") {
  for (const char* text : {"f1:setosa", "precision:new york", "recall:1", "top_k:5", "pinball:0.9", "accuracy"}) {
    const auto choice = read_metric(text);
    REQUIRE(choice.has_value());
    CHECK(choice->name() == text);
  }
  CHECK(read_metric("F1:Setosa")->name() == "f1:Setosa");
  CHECK(read_metric("f1:a:b")->parameter == "a:b");
  for (const char* text : {"f1", "f1:", "f1: a", "f1:a#b", "accuracy:1", "top_k", "top_k:0", "top_k:-1", "top_k:2.5",
                           "top_k:two", "pinball:0", "pinball:1", "pinball:nan", "pinball:", "f2:1", ""}) {
    CAPTURE(text);
    CHECK_FALSE(read_metric(text).has_value());
  }
  CHECK(read_metric("f1:setosa")->label() == "F1 (setosa)");
  CHECK(read_metric("top_k:5")->label() == "top-5 accuracy");
  CHECK(read_metric("pinball:0.9")->label() == "pinball loss (0.9)");
  CHECK(metric_hint("top_k:0") == " top_k:N needs an integer of at least 1, such as 3.");
  CHECK(metric_hint("pinball:90") == " pinball:Q needs a number between 0 and 1, such as 0.9.");
  CHECK(metric_hint("r2:1") == " r2 has no parameter. Write it without the colon.");
  CHECK(metric_hint("acuracy") == " Did you mean 'accuracy'?");
}

TEST_CASE("classes of metrics are found by name, or by number unless all names are integers") {
  const std::vector<std::string> names = {"setosa", "2", "1"};
  const auto class_of = [&](const std::string& text) {
    const auto function = metric_function({MetricKind::f1_of_class, text}, names, 3);
    return function ? function->parameter : -1;
  };
  CHECK(class_of("setosa") == 0);
  CHECK(class_of("1") == 2);
  CHECK(class_of("2") == 1);
  CHECK(class_of("0") == 0);
  CHECK_FALSE(metric_function({MetricKind::f1_of_class, "0"}, {"3", "2", "1"}, 3).has_value());
  CHECK(metric_function({MetricKind::f1_of_class, "1"}, {"3", "2", "1"}, 3)->parameter == 2);
  for (const char* text : {"Setosa", "3", "-1", "0.5"}) CHECK(class_of(text) == -1);
  CHECK(metric_problem("search.metric", {MetricKind::f1_of_class, "setossa"}, names, 3, "'iris.h5'") ==
        "search.metric = f1:setossa does not fit 'iris.h5' (it has no class 'setossa'; its classes are 'setosa', '2' "
        "and '1'). Use the name of a class, or a number from 0 to 2. Did you mean 'setosa'?");
  CHECK(metric_problem("run.metrics", {MetricKind::recall_of_class, "2"}, {}, 2, "'a.h5'") ==
        "run.metrics = recall:2 does not fit 'a.h5' (it has no class '2'). Use a number from 0 to 1.");
  CHECK(metric_problem("run.metrics", {MetricKind::top_k_accuracy, "4"}, names, 3, "'a.h5'") ==
        "run.metrics = top_k:4 does not fit 'a.h5' (it has 3 classes). Use a number of at most 3.");
  CHECK(metric_problem("run.metrics", {MetricKind::top_k_accuracy, "3"}, names, 3, "'a.h5'").empty());
  CHECK(metric_problem("run.metrics", MetricKind::r2, {}, 1, "'a.h5'").empty());
}

TEST_CASE("a study's score is the selected metric, or the default of the task") {
  for (const Metric& metric : metric_table)
    for (const Task task : tasks) {
      if (!metric.applies_to(task)) continue;
      Study study = test::regression_study();
      study.data.task = task;
      const MetricChoice choice(metric.kind, metric.parameter == MetricParameter::none ? "" : "1e-1");
      study.search.metric = choice.name();
      if (!read_metric(choice.name())) continue;
      CHECK(score_metric(study) == choice);
      study.search.metric = "loss";
      CHECK(score_metric(study) == default_metric(task).kind);
    }
}

TEST_CASE("of several quantiles, metrics measure the output of their quantile or of the median") {
  const Scoring scoring{Task::regression, LossKind::quantile, false, 3, {0.1, 0.5, 0.9}, {}};
  const std::vector<float> outputs = {1, 2, 3, 0, 5, 9}, targets = {2, 2, 2, 4, 4, 4};
  const ScoredRows rows{2, outputs.data(), nullptr, nullptr, targets.data()};
  const std::vector<MetricFunction> metrics = {MetricKind::mae,
                                               {MetricKind::pinball, 0.9},
                                               {MetricKind::pinball, 0.1},
                                               MetricKind::mean_pinball,
                                               MetricKind::median_ae};
  MetricSums sums(scoring, metrics);
  sums.add(rows);
  const std::vector<double> expected = {0.5, (0.1 * 1 + 0.1 * 5) / 2, (0.1 * 1 + 0.1 * 4) / 2,
                                        (0.1 + 0.1 + 0.4 + 0 + 0.5 + 0.1 + 0.5 - 0.5) / 6, 0.5};
  const auto values = sums.values();
  for (std::size_t number : {0, 1, 2, 4}) CHECK(values[number] == Approx(expected[number]));
  CHECK(values[3] == Approx((values[1] + values[2] + 0.5 * values[0]) / 3));
  PointwiseSums pointwise(scoring, metrics), first(scoring, metrics), second(scoring, metrics);
  pointwise.add(rows);
  first.add(rows.slice(0, 1, 3));
  second.add(rows.slice(1, 2, 3));
  PointwiseSums restored(scoring, metrics);
  restored.set_numbers(second.numbers().data());
  first.append(restored);
  CHECK(first.values() == pointwise.values());
  CHECK(quantile_problem("search.metric", {MetricKind::pinball, "0.2"}, {0.1, 0.9}) ==
        "search.metric = pinball:0.2 needs the quantile 0.2 (train.quantiles = 0.1 0.9). Add it to train.quantiles, or "
        "use the metric mean_pinball.");
  CHECK(quantile_problem("search.metric", {MetricKind::pinball, "0.90"}, {0.1, 0.9}).empty());
  CHECK_FALSE(quantile_problem("search.metric", MetricKind::mae, {0.1, 0.9}).empty());
  CHECK(quantile_problem("search.metric", MetricKind::mae, {0.9}).empty());
}

TEST_CASE("every task has a default metric") {
  CHECK(default_metric(Task::classification).kind == MetricKind::accuracy);
  CHECK(default_metric(Task::multilabel).kind == MetricKind::accuracy);
  CHECK(default_metric(Task::regression).kind == MetricKind::r2);
  CHECK(default_metric(Task::regression, LossKind::huber).kind == MetricKind::mae);
  CHECK(default_metric(Task::regression, LossKind::quantile).kind == MetricKind::mean_pinball);
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
  study.search.metric = "loss";
  study.data.task = automatic;
  CHECK_THROWS_AS(score_metric(study), std::logic_error);
}

TEST_CASE("every metric computed in parts equals the metric of all rows") {
  for_each_metric(1500, [](const Metric&, const MetricFunction& function, const Scoring& scoring, MetricRows rows) {
    for (const bool has_weights : {false, true}) {
      for (std::int64_t row = 0; has_weights && row < rows.count; ++row)
        rows.weights.push_back(static_cast<float>(row % 7) * 0.3f);
      const double whole = value_of(scoring, function, rows, {rows.count});
      CHECK(std::isfinite(whole));
      CHECK(value_of(scoring, function, rows, {1, 1, 700, 701, rows.count}) == whole);
      CHECK(appended_value_of(scoring, function, rows, {rows.count}) == whole);
      for (const auto& ends : std::vector<std::vector<std::int64_t>>{
               {0, 1, 2, 2, rows.count}, {750, rows.count, rows.count}, {7, 1000, 1001, 1499, rows.count}})
        CHECK(appended_value_of(scoring, function, rows, ends) == Approx(whole).epsilon(1e-12));
    }
  });
}

TEST_CASE("a row with a weight counts as often as its weight") {
  for_each_metric(200,
                  [](const Metric& metric, const MetricFunction& function, const Scoring& scoring, MetricRows rows) {
                    std::vector<std::int64_t> repeated;
                    for (std::int64_t row = 0; row < rows.count; ++row) {
                      const std::int64_t times = 1 + row * row % 3;
                      rows.weights.push_back(static_cast<float>(times));
                      repeated.insert(repeated.end(), static_cast<std::size_t>(times), row);
                    }
                    const double weighted = value_of(scoring, function, rows, {rows.count});
                    const MetricRows others = chosen_rows(rows, repeated);
                    CHECK(weighted == Approx(value_of(scoring, function, others, {others.count})).epsilon(1e-12));
                    rows.weights.clear();
                    if (metric.kind == MetricKind::max_error) return;
                    CHECK(weighted != Approx(value_of(scoring, function, rows, {rows.count})).epsilon(1e-6));
                  });
}

TEST_CASE("the order of the rows does not matter, and of counts and ranks not a bit") {
  for_each_metric(
      200, [](const Metric& metric, const MetricFunction& function, const Scoring& scoring, const MetricRows& rows) {
        std::vector<std::int64_t> order(static_cast<std::size_t>(rows.count));
        std::iota(order.begin(), order.end(), 0);
        std::reverse(order.begin(), order.end());
        std::rotate(order.begin(), order.begin() + 17, order.end());
        const double value = value_of(scoring, function, rows, {rows.count});
        const double other = value_of(scoring, function, chosen_rows(rows, order), {rows.count});
        CHECK(other == Approx(value).epsilon(1e-12));
        if (metric.family != MetricFamily::pointwise) CHECK(other == value);
      });
}

TEST_CASE("better predictions improve the value in the metric's direction") {
  for_each_metric(300, [](const Metric& metric, const MetricFunction& function, const Scoring& scoring,
                          MetricRows rows) {
    const double value = value_of(scoring, function, rows, {rows.count});
    for (std::int64_t index = 0; index < rows.count * rows.width; ++index) {
      const auto at = static_cast<std::size_t>(index);
      const bool is_label = index % rows.width == rows.labels[at / static_cast<std::size_t>(rows.width)];
      const float right = scoring.probabilities ? 1.0f : 9.0f, wrong = scoring.probabilities ? 0.0f : -9.0f;
      const bool is_right = scoring.task == Task::multilabel ? rows.targets[at] == 1 : is_label;
      rows.outputs[at] = scoring.task == Task::regression ? rows.targets[at] : is_right ? right : wrong;
    }
    rows.predict_labels(scoring.probabilities);
    const double best = value_of(scoring, function, rows, {rows.count});
    CHECK((metric.larger_is_better() ? best > value : best < value));
    CHECK(
        best ==
        Approx(metric.larger_is_better() ? 1 : 0).margin(metric.losses == MetricLosses::probabilities ? 0.01 : 1e-12));
  });
}

TEST_CASE("a metric of fewer rows than it needs is not defined, and a metric of outputs that are NaN is not a number") {
  for_each_metric(40, [](const Metric& metric, const MetricFunction& function, const Scoring& scoring,
                         MetricRows rows) {
    if (metric.min_rows > 1) {
      const MetricRows first = chosen_rows(rows, {0});
      CHECK(std::isnan(value_of(scoring, function, first, {1})));
      CHECK_FALSE(metric.undefined.empty());
    }
    if (scoring.task != Task::regression && metric.family != MetricFamily::ranked && metric.losses == MetricLosses::all)
      return;  // computed from the order of the outputs
    std::fill_n(rows.outputs.begin(), rows.width, std::numeric_limits<float>::quiet_NaN());
    CHECK(std::isnan(value_of(scoring, function, rows, {rows.count})));
  });
}
