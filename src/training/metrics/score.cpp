// SPDX-License-Identifier: MIT
#include "training/metrics/score.hpp"
#include "study/key_defaults.hpp"
#include "study/losses.hpp"

#include <cassert>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "study/study.hpp"
#include "training/metrics/metric_sums.hpp"
#include "training/metrics/predicted_label.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t block_rows = 1024;

}  // namespace

std::vector<MetricChoice> validation_metrics(const Study& study) {
  std::vector<MetricChoice> metrics = {score_metric(study)};
  metrics.insert(metrics.end(), study.run.metrics.begin(), study.run.metrics.end());
  return metrics;
}

std::vector<double> prediction_scores(const std::vector<MetricChoice>& metrics, LossKind loss,
                                      const std::vector<double>& quantiles, bool are_probabilities,
                                      const std::vector<float>& predictions, const DataSet& data, const RowSet& rows) {
  const std::int64_t width = data.output_count;
  assert(!rows.empty());
  assert(static_cast<std::int64_t>(predictions.size()) == rows.count() * width);
  std::vector<MetricFunction> functions;
  for (const MetricChoice& metric : metrics) {
    const auto function = metric_function(metric, data.class_names, width);
    if (!function) throw std::logic_error("the data have no such class");
    functions.push_back(*function);
  }
  MetricSums sums({data.task, loss, are_probabilities, width, quantiles, data.target_offsets}, std::move(functions));
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
