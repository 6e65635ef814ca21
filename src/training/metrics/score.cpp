// SPDX-License-Identifier: MIT
#include "training/metrics/score.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "study/key_defaults.hpp"
#include "study/losses.hpp"
#include "study/study.hpp"
#include "training/metrics/evaluation_sums.hpp"
#include "training/metrics/metric_sums.hpp"
#include "training/metrics/predicted_label.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t block_rows = 1024;

// Adds the rows to `sums`, some at a time.
template <class Sums>
void add_rows(const RowPredictions& predictions, Sums& sums) {
  const DataSet& data = predictions.data;
  const std::int64_t width = data.output_count;
  assert(!predictions.rows.empty());
  assert(static_cast<std::int64_t>(predictions.values.size()) == predictions.rows.count() * width);
  const float* outputs = predictions.values.data();
  const float* weights = predictions.weights.empty() ? nullptr : predictions.weights.data();
  const bool has_classes = data.task == Task::classification;
  std::int64_t count = 0;
  std::vector<std::int64_t> predicted_labels, labels;
  std::vector<float> targets;
  const auto add_block = [&] {
    predict_labels(predictions.scoring, std::nullopt, outputs, count, predicted_labels);
    sums.add({count, outputs, predicted_labels.data(), has_classes ? labels.data() : nullptr, targets.data(), weights});
    outputs += count * width;
    if (weights != nullptr) weights += count;
    count = 0;
    labels.clear();
    targets.clear();
  };
  predictions.rows.for_each([&](std::int64_t row) {
    if (has_classes)
      labels.push_back(data.labels[row]);
    else
      targets.insert(targets.end(), data.targets + row * width, data.targets + (row + 1) * width);
    if (++count == block_rows) add_block();
  });
  add_block();
}

}  // namespace

std::vector<MetricChoice> validation_metrics(const Study& study) {
  std::vector<MetricChoice> metrics = {score_metric(study)};
  metrics.insert(metrics.end(), study.run.metrics.begin(), study.run.metrics.end());
  return metrics;
}

Scoring scoring_of(const TrainOptions& train, const DataSet& data, bool are_probabilities) {
  return {data.task,         loss_function(train), are_probabilities,
          data.output_count, quantiles_of(train),  data.target_offsets};
}

std::vector<double> prediction_scores(const std::vector<MetricChoice>& metrics, const RowPredictions& predictions) {
  std::vector<MetricFunction> functions;
  for (const MetricChoice& metric : metrics) {
    const auto function = metric_function(metric, predictions.data.class_names, predictions.data.output_count);
    if (!function) throw std::logic_error("the data have no such class");
    functions.push_back(*function);
  }
  const std::vector<float>& weights = predictions.weights;
  const auto is_zero = [](float weight) { return weight == 0; };
  if (!weights.empty() && std::all_of(weights.begin(), weights.end(), is_zero))  // no row counts
    return std::vector<double>(metrics.size(), std::numeric_limits<double>::quiet_NaN());
  MetricSums sums(predictions.scoring, std::move(functions));
  add_rows(predictions, sums);
  return sums.values();
}

double prediction_loss(const RowPredictions& predictions) {
  EvaluationSums sums(predictions.scoring, {});
  add_rows(predictions, sums);
  return sums.loss();
}

}  // namespace sheaf
