// SPDX-License-Identifier: MIT
#include "training/metrics/r2.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "unit/training/metrics/metric_pieces.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

double r2_of(const MetricRows& rows, const std::vector<std::int64_t>& ends) {
  return value_of({Task::regression, LossKind::mse, false, rows.width}, MetricKind::r2, rows, ends);
}

double appended_r2_of(const MetricRows& rows, const std::vector<std::int64_t>& ends) {
  return appended_value_of({Task::regression, LossKind::mse, false, rows.width}, MetricKind::r2, rows, ends);
}

// R2 in two passes: the mean first, then the sums of squares.
double two_pass_r2(const MetricRows& rows) {
  double sum = 0;
  for (std::int64_t output = 0; output < rows.width; ++output) {
    const auto at = [&](const std::vector<float>& values, std::int64_t row) {
      return static_cast<long double>(values[static_cast<std::size_t>(row * rows.width + output)]);
    };
    long double mean = 0, residual = 0, total = 0;
    for (std::int64_t row = 0; row < rows.count; ++row) mean += at(rows.targets, row);
    mean /= static_cast<long double>(rows.count);
    for (std::int64_t row = 0; row < rows.count; ++row) {
      const long double target = at(rows.targets, row), error = target - at(rows.outputs, row);
      residual += error * error;
      total += (target - mean) * (target - mean);
    }
    sum += static_cast<double>(1 - residual / total);
  }
  return sum / static_cast<double>(rows.width);
}

}  // namespace

TEST_CASE("R2 equals the two-pass computation") {
  for (const std::int64_t width : {1, 2, 3, 4, 9}) {
    const MetricRows rows = metric_rows(20000, width);
    CHECK(r2_of(rows, {rows.count}) == Approx(two_pass_r2(rows)).epsilon(1e-12));
    CHECK(appended_r2_of(rows, {1, 9000, rows.count}) == Approx(two_pass_r2(rows)).epsilon(1e-12));
  }
}

TEST_CASE("R2 is accurate when the mean of the targets is large") {
  MetricRows rows = metric_rows(20000, 1);
  for (auto* values : {&rows.outputs, &rows.targets})
    for (float& value : *values) value += 1e6f;
  CHECK(r2_of(rows, {rows.count}) == Approx(two_pass_r2(rows)).epsilon(1e-9));
  CHECK(appended_r2_of(rows, {9000, rows.count}) == Approx(two_pass_r2(rows)).epsilon(1e-9));
}

TEST_CASE("R2 of a single row is not defined") {
  const MetricRows rows = metric_rows(1, 2);
  CHECK(std::isnan(r2_of(rows, {1})));
}

TEST_CASE("R2 of a constant target is 1 if predicted exactly and 0 otherwise, at once or in parts") {
  MetricRows rows = metric_rows(10, 1);
  rows.targets.assign(10, 0.1f);
  rows.outputs = rows.targets;
  CHECK(r2_of(rows, {10}) == 1);
  CHECK(appended_r2_of(rows, {4, 10}) == 1);
  rows.outputs.back() = 0.2f;
  CHECK(r2_of(rows, {10}) == 0);
  CHECK(appended_r2_of(rows, {4, 10}) == 0);
}
