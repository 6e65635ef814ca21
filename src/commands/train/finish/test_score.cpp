// SPDX-License-Identifier: MIT
#include "commands/train/finish/test_score.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "commands/train/finish/row_predictions.hpp"
#include "core/parallel.hpp"
#include "data/row_draws.hpp"
#include "engines/model_opening.hpp"
#include "models/predictions.hpp"
#include "study/metrics.hpp"
#include "training/class_weights.hpp"
#include "training/metrics/score.hpp"

namespace sheaf {
namespace {

// The score and the metrics of run.metrics, which may be the same.
std::vector<MetricChoice> metrics_of(const Study& study) {
  std::vector<MetricChoice> metrics;
  for (const MetricChoice& metric : validation_metrics(study))
    if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end()) metrics.push_back(metric);
  return metrics;
}

// The metrics of the study, then all others without a parameter that apply.
std::vector<MetricChoice> test_metrics(const Study& study, Task task, LossKind loss,
                                       const std::vector<double>& quantiles) {
  std::vector<MetricChoice> metrics = metrics_of(study);
  for (const Metric& metric : metric_table) {
    const bool is_new = std::find(metrics.begin(), metrics.end(), MetricChoice(metric.kind)) == metrics.end();
    if (is_new && metric.parameter == MetricParameter::none && applies_to(metric, task, loss) &&
        quantile_problem("", metric.kind, quantiles).empty())
      metrics.emplace_back(metric.kind);
  }
  return metrics;
}

// The weights of rows for the training of an iteration: empty without search.weighted.
std::vector<float> weights_of_rows(const TrainingContext& context, std::int64_t iteration, const RowSet& rows) {
  if (!context.study->search.weighted) return {};
  const Iteration model = context.plan.iteration(iteration);
  Split split;
  context.splits->rows_of_split(model.repeat, model.fold, split);
  return scoring_weights(context.study, context.plan.trial(model.trial).train, *context.data, split.training_rows,
                         rows);
}

// The loss of predictions, and all metrics that apply.
TestResult result_of(const TrainingContext& context, std::int64_t iteration, const RowSet& rows, const Scoring& scoring,
                     const std::vector<float>& predictions) {
  TestResult result;
  result.rows = rows.count();
  const RowPredictions scored{scoring, predictions, *context.data, rows, weights_of_rows(context, iteration, rows)};
  result.loss = prediction_loss(scored);
  const auto metrics = test_metrics(context.study, scoring.task, scoring.loss.kind, scoring.quantiles);
  result.study_metrics = metrics_of(context.study).size();
  const auto values = prediction_scores(metrics, scored);
  for (std::size_t number = 0; number < metrics.size(); ++number)
    result.metrics.push_back({metrics[number], values[number]});
  return result;
}

Scoring scoring_of_models(const DataSet& data, const std::vector<OpenedModel>& models, bool are_probabilities) {
  const ModelDescription& description = models.front().trained->description;
  return {data.task,         description.loss,      are_probabilities,
          data.output_count, description.quantiles, data.target_offsets};
}

std::vector<OpenedModel> opened(const std::vector<std::string>& paths, const RunOptions& run) {
  std::vector<OpenedModel> models;
  for (const auto& path : paths) models.push_back(load_model(path, run, core_lane));
  return models;
}

// The training rows of an iteration that its bootstrap sample does not have.
RowSet rows_out_of_bag(const TrainingContext& context, std::int64_t iteration) {
  const Iteration model = context.plan.iteration(iteration);
  Split split;
  context.splits->rows_of_split(model.repeat, model.fold, split);
  auto marks = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(split.training_rows.data_rows()));
  split.training_rows.for_each([&](std::int64_t row) { (*marks)[static_cast<std::size_t>(row)] = 1; });
  bootstrap_rows(context.data->marks, split.training_rows, model.seed).for_each([&](std::int64_t row) {
    (*marks)[static_cast<std::size_t>(row)] = 0;
  });
  return RowSet::marked(std::move(marks), 1);
}

// Means of predictions for the rows that any model has predicted.
class PartialMean {
 public:
  PartialMean(std::int64_t rows, std::int64_t outputs)
      : outputs_(outputs), sums_(static_cast<std::size_t>(rows * outputs)), counts_(static_cast<std::size_t>(rows)) {}

  // `predictions`: [rows.count(), outputs].
  void add(const RowSet& rows, const std::vector<float>& predictions) {
    auto next = predictions.begin();
    rows.for_each([&](std::int64_t row) {
      ++counts_[static_cast<std::size_t>(row)];
      for (std::int64_t output = 0; output < outputs_; ++output)
        sums_[static_cast<std::size_t>(row * outputs_ + output)] += double{*next++};
    });
  }

  RowSet rows() const {
    auto marks = std::make_shared<std::vector<std::uint8_t>>();
    for (const std::int32_t count : counts_) marks->push_back(count > 0 ? 1 : 0);
    return RowSet::marked(std::move(marks), 1);
  }

  // [rows().count(), outputs].
  std::vector<float> values() const {
    std::vector<float> means;
    for (std::size_t row = 0; row < counts_.size(); ++row)
      for (std::int64_t output = 0; counts_[row] > 0 && output < outputs_; ++output)
        means.push_back(static_cast<float>(
            sums_[row * static_cast<std::size_t>(outputs_) + static_cast<std::size_t>(output)] / counts_[row]));
    return means;
  }

 private:
  std::int64_t outputs_;
  std::vector<double> sums_;          // [rows, outputs]
  std::vector<std::int32_t> counts_;  // [rows]
};

}  // namespace

TestResult test_models(const TrainingContext& context, const std::optional<FileSchema>& file, std::int64_t iteration,
                       const std::vector<std::string>& models, const std::vector<double>& weights) {
  const DataSet& data = *context.data;
  const RowSet& rows = context.splits->test_rows();
  const std::vector<OpenedModel> loaded = opened(models, context.study->run);
  const Scoring scoring = scoring_of_models(data, loaded, models.size() > 1 && data.task != Task::regression);
  return result_of(context, iteration, rows, scoring, predict_rows(context, file, rows, loaded, weights, scoring));
}

std::optional<TestResult> score_out_of_bag(const TrainingContext& context, IndexRange iterations,
                                           const std::vector<std::string>& models, std::int64_t threads) {
  const DataSet& data = *context.data;
  const std::vector<OpenedModel> loaded = opened(models, context.study->run);
  PartialMean mean(data.rows, data.output_count);
  // Predictions of as many models as there are threads are in memory. They are added in the order of the models.
  struct OutOfBag {
    RowSet rows;
    std::vector<float> predictions;
  };
  const auto count = static_cast<std::int64_t>(models.size());
  for (std::int64_t first = 0; first < count; first += threads) {
    const IndexRange group{first, std::min(first + threads, count)};
    std::vector<OutOfBag> of_models(static_cast<std::size_t>(group.count()));
    for_each_index(group, threads, [&]() -> IndexWork {
      return [&](std::int64_t model) {
        OutOfBag& found = of_models[static_cast<std::size_t>(model - first)];
        const Scoring outputs = scoring_of_models(data, loaded, false);
        found.rows = rows_out_of_bag(context, iterations.begin + model);
        found.predictions =
            predict_rows(context, {}, found.rows, {loaded[static_cast<std::size_t>(model)]}, {}, outputs);
        if (data.task != Task::regression)
          make_predictions(outputs.loss.kind, data.output_count, found.predictions.data(), found.rows.count());
      };
    });
    for (const OutOfBag& found : of_models) mean.add(found.rows, found.predictions);
  }
  const RowSet rows = mean.rows();
  if (rows.empty()) return std::nullopt;
  return result_of(context, iterations.begin, rows, scoring_of_models(data, loaded, data.task != Task::regression),
                   mean.values());
}

}  // namespace sheaf
