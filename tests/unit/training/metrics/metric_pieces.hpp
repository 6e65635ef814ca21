// Sample outputs with labels and targets, and their metrics, computed at once or in parts.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "training/metrics/accumulator.hpp"
#include "training/metrics/predicted_label.hpp"

namespace sheaf::test {

/// Rows with the inputs of the metrics of both tasks.
struct MetricRows {
  std::int64_t count = 0, width = 0;
  std::vector<float> outputs, targets;
  std::vector<std::int64_t> predicted_labels, labels;

  ScoredRows slice(std::int64_t begin, std::int64_t end) const {
    return {end - begin, outputs.data() + begin * width, predicted_labels.data() + begin, labels.data() + begin,
            targets.data() + begin * width};
  }
};

/// Targets near 100, outputs near the targets, and labels that some of the outputs predict.
inline MetricRows metric_rows(std::int64_t count, std::int64_t width) {
  MetricRows rows{count, width, {}, {}, {}, {}};
  for (std::int64_t index = 0; index < count * width; ++index) {
    const double target = 100 + std::sin(1.7 * static_cast<double>(index));
    rows.targets.push_back(static_cast<float>(target));
    rows.outputs.push_back(static_cast<float>(target + 0.3 * std::sin(2.3 * static_cast<double>(index))));
  }
  for (std::int64_t row = 0; row < count; ++row) {
    rows.labels.push_back(row * row % width);
    rows.predicted_labels.push_back(predicted_label(rows.outputs.data() + row * width, width));
  }
  return rows;
}

/// The metric of all rows, added in the parts that end at `ends`.
inline double value_of(MetricKind metric, const MetricRows& rows, const std::vector<std::int64_t>& ends) {
  const auto accumulator = make_accumulator(metric, rows.width);
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    accumulator->add(rows.slice(begin, end));
    begin = end;
  }
  return accumulator->value();
}

/// The metric of all rows with one accumulator per part. The accumulators' numbers are copied and then joined.
inline double appended_value_of(MetricKind metric, const MetricRows& rows, const std::vector<std::int64_t>& ends) {
  const auto whole = make_accumulator(metric, rows.width);
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    const auto slice = make_accumulator(metric, rows.width), received = make_accumulator(metric, rows.width);
    slice->add(rows.slice(begin, end));
    received->set_numbers(slice->numbers().data());
    whole->append(*received);
    begin = end;
  }
  return whole->value();
}

}  // namespace sheaf::test
