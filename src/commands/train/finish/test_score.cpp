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
#include "search/ensemble_candidates.hpp"
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
  if (!context.study.search.weighted) return {};
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

}  // namespace

TestResult test_models(const TrainingContext& context, const std::optional<FileSchema>& file, std::int64_t iteration,
                       const std::vector<std::string>& models, const std::vector<double>& weights) {
  const DataSet& data = *context.data;
  const RowSet& rows = context.splits->test_rows();
  const std::vector<OpenedModel> loaded = opened(models, context.study.run);
  const Scoring scoring = scoring_of_models(data, loaded, models.size() > 1 && data.task != Task::regression);
  return result_of(context, iteration, rows, scoring, predict_rows(context, file, rows, loaded, weights, scoring));
}

std::optional<TestResult> score_out_of_bag(const TrainingContext& context, const std::optional<FileSchema>& file,
                                           IndexRange iterations, const std::vector<std::string>& models,
                                           std::int64_t threads) {
  const DataSet& data = *context.data;
  std::vector<RowSet> rows_of;
  for (std::int64_t iteration = iterations.begin; iteration < iterations.end; ++iteration)
    rows_of.push_back(rows_out_of_bag(context, iteration));
  const HeldOutRows rows(rows_of, data.rows);
  if (rows.count() == 0) return std::nullopt;
  HeldOutRows::Mean mean(rows, data.output_count);
  const std::vector<OpenedModel> loaded = opened(models, context.study.run);
  // Predictions of as many models as there are threads are in memory. They are added in the order of the models.
  const auto count = static_cast<std::int64_t>(models.size());
  std::vector<std::vector<float>> predictions(models.size());
  for (std::int64_t first = 0; first < count; first += threads) {
    const IndexRange group{first, std::min(first + threads, count)};
    for_each_index(group, threads, [&]() -> IndexWork {
      return [&](std::int64_t index) {
        const auto model = static_cast<std::size_t>(index);
        const Scoring outputs = scoring_of_models(data, loaded, false);
        predictions[model] = predict_rows(context, file, rows_of[model], {loaded[model]}, {}, outputs);
        if (data.task != Task::regression)
          make_predictions(outputs.loss.kind, data.output_count, predictions[model].data(), rows_of[model].count());
      };
    });
    for (auto model = static_cast<std::size_t>(group.begin); model < static_cast<std::size_t>(group.end); ++model)
      mean.add(rows_of[model], std::exchange(predictions[model], {}).data());
  }
  return result_of(context, iterations.begin, rows.set(),
                   scoring_of_models(data, loaded, data.task != Task::regression), mean.values());
}

}  // namespace sheaf
