// SPDX-License-Identifier: MIT
#include "training/metrics/score.hpp"
#include "study/key_defaults.hpp"
#include "study/losses.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "study/study.hpp"
#include "training/metrics/metric_sums.hpp"
#include "training/metrics/predicted_label.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t block_rows = 1024;

}  // namespace

std::vector<MetricKind> validation_metrics(const Study& study) {
  std::vector<MetricKind> metrics(1 + study.run.metrics.size(), score_metric(study).kind);
  std::copy(study.run.metrics.begin(), study.run.metrics.end(), metrics.begin() + 1);
  return metrics;
}

std::vector<double> prediction_scores(const std::vector<MetricKind>& metrics, LossKind loss, bool are_probabilities,
                                      const std::vector<float>& predictions, const DataSet& data, const RowSet& rows) {
  const std::int64_t width = data.output_count;
  assert(!rows.empty());
  assert(static_cast<std::int64_t>(predictions.size()) == rows.count() * width);
  MetricSums sums({data.task, loss, are_probabilities, width, data.target_offsets}, metrics);
  const float* outputs = predictions.data();
  std::int64_t count = 0;
  std::vector<std::int64_t> predicted_labels, labels;
  std::vector<float> targets;
  const auto add_block = [&] {
    sums.add({count, outputs, predicted_labels.data(), labels.data(), targets.data()});
    outputs += count * width;
    count = 0;
    predicted_labels.clear();
    labels.clear();
    targets.clear();
  };
  rows.for_each([&](std::int64_t row) {
    if (data.task == Task::classification) {
      predicted_labels.push_back(predicted_label(outputs + count * width, width));
      labels.push_back(data.labels[row]);
    } else {
      targets.insert(targets.end(), data.targets + row * width, data.targets + (row + 1) * width);
    }
    if (++count == block_rows) add_block();
  });
  add_block();
  return sums.values();
}

}  // namespace sheaf
