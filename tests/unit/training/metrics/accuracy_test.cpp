// SPDX-License-Identifier: MIT
#include "training/metrics/accumulator.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "unit/training/metrics/metric_pieces.hpp"

using namespace sheaf;
using namespace sheaf::test;

TEST_CASE("accuracy is the fraction of rows whose largest output is at their label") {
  const MetricRows rows = metric_rows(997, 4);
  std::int64_t right = 0;
  for (std::int64_t row = 0; row < rows.count; ++row) {
    const auto begin = rows.outputs.begin() + row * rows.width;
    right += std::max_element(begin, begin + rows.width) - begin == rows.labels[static_cast<std::size_t>(row)];
  }
  REQUIRE((right > 0 && right < rows.count));
  CHECK(value_of(MetricKind::accuracy, rows, {rows.count}) ==
        static_cast<double>(right) / static_cast<double>(rows.count));
  CHECK(appended_value_of(MetricKind::accuracy, rows, {1, 500, 500, rows.count}) ==
        value_of(MetricKind::accuracy, rows, {rows.count}));
}
