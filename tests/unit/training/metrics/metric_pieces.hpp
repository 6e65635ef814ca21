// Sample outputs with labels and targets, and their metrics, computed at once or in parts.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "training/metrics/metric_sums.hpp"
#include "training/metrics/predicted_label.hpp"

namespace sheaf::test {

/// Rows with the inputs of the metrics of all tasks.
struct MetricRows {
  std::int64_t count = 0, width = 0;
  std::vector<float> outputs, targets;
  std::vector<std::int64_t> predicted_labels, labels;
  std::vector<float> weights{};      ///< empty: none
  Task task = Task::classification;  ///< multilabel: `targets` are labels, and `predicted_labels` has one for each

  ScoredRows slice(std::int64_t begin, std::int64_t end) const {
    const bool several = task == Task::multilabel;
    return {end - begin,
            outputs.data() + begin * width,
            predicted_labels.data() + begin * (several ? width : 1),
            several ? nullptr : labels.data() + begin,
            targets.data() + begin * width,
            weights.empty() ? nullptr : weights.data() + begin};
  }

  void predict_labels(bool are_probabilities = false) {
    sheaf::predict_labels({task, LossKind::bce, are_probabilities, width}, std::nullopt, outputs.data(), count,
                          predicted_labels);
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
  for (std::int64_t row = 0; row < count; ++row) rows.labels.push_back(row * 7 % 11 % width);
  rows.predict_labels();
  return rows;
}

/// Targets 0 and 1, and logits that are above 0 for most of the targets of 1, and for some of the others.
inline MetricRows label_rows(std::int64_t count, std::int64_t width) {
  MetricRows rows = metric_rows(count, width);
  rows.task = Task::multilabel;
  for (std::int64_t index = 0; index < count * width; ++index) {
    const auto at = static_cast<std::size_t>(index);
    rows.targets[at] = index * index % 7 < 3 ? 1 : 0;
    rows.outputs[at] =
        static_cast<float>(2 * double{rows.targets[at]} - 1 + 1.5 * std::sin(2.3 * static_cast<double>(index)));
  }
  rows.predict_labels();
  return rows;
}

/// The rows with these numbers, in this order.
inline MetricRows chosen_rows(const MetricRows& rows, const std::vector<std::int64_t>& numbers) {
  MetricRows chosen{static_cast<std::int64_t>(numbers.size()), rows.width, {}, {}, {}, {}, {}, rows.task};
  for (const std::int64_t row : numbers) {
    const auto copy = [&](const std::vector<float>& from, std::vector<float>& to) {
      to.insert(to.end(), from.begin() + row * rows.width, from.begin() + (row + 1) * rows.width);
    };
    copy(rows.outputs, chosen.outputs);
    copy(rows.targets, chosen.targets);
    chosen.labels.push_back(rows.labels[static_cast<std::size_t>(row)]);
    const std::int64_t each = rows.task == Task::multilabel ? rows.width : 1;
    const auto predicted = rows.predicted_labels.begin() + row * each;
    chosen.predicted_labels.insert(chosen.predicted_labels.end(), predicted, predicted + each);
  }
  return chosen;
}

/// The metric of all rows, added in the parts that end at `ends`.
inline double value_of(const Scoring& scoring, const MetricFunction& metric, const MetricRows& rows,
                       const std::vector<std::int64_t>& ends) {
  MetricSums sums(scoring, {metric});
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    sums.add(rows.slice(begin, end));
    begin = end;
  }
  return sums.values().front();
}

/// The metric of all rows with sums of each part, which are then joined.
inline double appended_value_of(const Scoring& scoring, const MetricFunction& metric, const MetricRows& rows,
                                const std::vector<std::int64_t>& ends) {
  MetricSums whole(scoring, {metric});
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    MetricSums part(scoring, {metric});
    part.add(rows.slice(begin, end));
    whole.append(part);
    begin = end;
  }
  return whole.values().front();
}

}  // namespace sheaf::test
