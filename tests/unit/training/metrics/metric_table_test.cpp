// SPDX-License-Identifier: MIT
#include "study/metrics.hpp"

#include <set>
#include <string>

#include "support/catch.hpp"
#include "support/regression_study.hpp"
#include "unit/training/metrics/metric_pieces.hpp"

using namespace sheaf;
using namespace sheaf::test;

TEST_CASE("names and labels of metrics are unique") {
  std::set<std::string_view> names, labels;
  for (const Metric& metric : metric_table) {
    CHECK(names.insert(metric.name).second);
    CHECK(labels.insert(metric.label).second);
    CHECK(metric.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos);
  }
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
  CHECK(default_metric(Task::classification).name == "accuracy");
  CHECK(default_metric(Task::regression).name == "r2");
  CHECK_THROWS_AS(default_metric(Task::automatic), std::logic_error);
  for (const Task task : {Task::classification, Task::regression}) CHECK(default_metric(task).task == task);
}

TEST_CASE("every metric computed in parts equals the metric of all rows") {
  for (const Metric& metric : metric_table)
    for (const std::int64_t width : {1, 2, 5}) {
      const MetricRows rows = metric_rows(3000, width);
      const double whole = value_of(metric.kind, rows, {rows.count});
      CAPTURE(metric.name, width);
      CHECK(std::isfinite(whole));
      CHECK(value_of(metric.kind, rows, {1, 1, 1700, 1701, rows.count}) == whole);
      CHECK(appended_value_of(metric.kind, rows, {rows.count}) == whole);
      for (const auto& ends : std::vector<std::vector<std::int64_t>>{
               {0, 1, 2, 2, rows.count}, {1500, rows.count, rows.count}, {7, 1000, 1001, 2999, rows.count}})
        CHECK(appended_value_of(metric.kind, rows, ends) == Approx(whole).epsilon(1e-12));
    }
}

TEST_CASE("better predictions improve the value in the metric's direction") {
  for (const Metric& metric : metric_table) {
    MetricRows rows = metric_rows(500, 3);
    const double value = value_of(metric.kind, rows, {rows.count});
    rows.predicted_labels = rows.labels;
    for (std::int64_t index = 0; index < rows.count * rows.width; ++index) {
      const bool is_label = index % rows.width == rows.labels[static_cast<std::size_t>(index / rows.width)];
      auto& output = rows.outputs[static_cast<std::size_t>(index)];
      output = metric.task == Task::regression ? rows.targets[static_cast<std::size_t>(index)] : is_label ? 9.0f : 0.0f;
    }
    CAPTURE(metric.name);
    const double best = value_of(metric.kind, rows, {rows.count});
    CHECK((metric.larger_is_better ? best > value : best < value));
  }
}
