// SPDX-License-Identifier: MIT
#include "commands/train/finish/test_score.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/error.hpp"
#include "data/feature_reader.hpp"
#include "data/node_data.hpp"
#include "data/storage.hpp"
#include "engines/mean_predictor.hpp"
#include "engines/model_opening.hpp"
#include "study/metrics.hpp"
#include "training/class_weights.hpp"
#include "training/metrics/score.hpp"
#include "training/training_cost.hpp"

namespace sheaf {
namespace {

// Predicts rows, a batch at a time.
class TestPredictor {
 public:
  TestPredictor(const Study& study, const DataShape& shape, const std::vector<OpenedModel>& models,
                const std::vector<double>& weights, const Scoring& scoring)
      : width_(shape.features),
        outputs_(shape.outputs),
        models_(models),
        predictor_(models, weights, row_shape_of(shape), scoring, study.run, core_lane) {}

  // Adds the features of a row.
  template <class Value>
  void add(const Value* row) {
    features_.insert(features_.end(), row, row + width_);
    if (static_cast<std::int64_t>(features_.size()) >= std::max(batch_values, width_)) predict();
  }

  // The predictions of all rows, [rows, outputs], as MeanPredictor.
  std::vector<float> finish() {
    predict();
    return std::move(predictions_);
  }

 private:
  static constexpr std::int64_t batch_values = std::int64_t{64} << 10;

  static std::vector<std::int64_t> row_shape_of(const DataShape& shape) {
    const ImageShape& image = shape.image;
    if (image.channels > 0) return {image.channels, image.height, image.width};
    return {shape.features};
  }

  void predict() {
    if (features_.empty()) return;
    const auto rows = static_cast<std::int64_t>(features_.size()) / width_;
    const std::size_t first = predictions_.size();
    predictions_.resize(first + static_cast<std::size_t>(rows * outputs_));
    const auto fill = [this](std::size_t model) { return filled_features(models_[model].trained->scaling.fill); };
    require(predictor_.predict(features_.data(), rows, fill, predictions_.data() + first),
            "A model has no finite prediction for some test rows (their features are too far from those of "
            "the training rows, or have empty cells that the training rows do not have). Correct them, and evaluate "
            "the model on such rows with sheaf evaluate.");
    features_.clear();
  }

  const float* filled_features(const std::vector<float>& fills) {
    filled_ = features_;
    for (std::size_t index = 0; index < filled_.size() && !fills.empty(); ++index)
      if (std::isnan(filled_[index])) filled_[index] = fills[index % static_cast<std::size_t>(width_)];
    return filled_.data();
  }

  const std::int64_t width_, outputs_;
  const std::vector<OpenedModel>& models_;
  MeanPredictor predictor_;
  std::vector<float> features_;  // of rows that are not predicted yet
  std::vector<float> filled_;    // the same, with empty cells filled
  std::vector<float> predictions_;
};

// Adds those of `rows` that are in `block`, whose values begin with its first row.
template <class Value>
void add_rows(const Value* values, IndexRange block, const RowSet& rows, std::int64_t width, TestPredictor& predictor) {
  rows.for_each(block, [&](std::int64_t row) { predictor.add(values + (row - block.begin) * width); });
}

void add_from_file(const Study& study, const FileSchema& file, const RowSet& rows, TestPredictor& predictor) {
  const RowShape shape = row_shape(file, study.data.task);
  const FeatureReader reader(study.data, file);
  FeatureReader::Buffers buffers;
  std::vector<std::byte> values;
  for (std::int64_t number = 0; number < reader.block_count(); ++number) {
    const IndexRange block = reader.block(number);
    bool any = false;
    rows.for_each(block, [&](std::int64_t) { any = true; });
    if (!any) continue;
    values.resize(static_cast<std::size_t>(block.count() * feature_bytes(shape)));
    reader.read_again(block, values.data(), buffers);
    if (shape.byte_features)
      add_rows(reinterpret_cast<const std::uint8_t*>(values.data()), block, rows, shape.feature_count, predictor);
    else
      add_rows(reinterpret_cast<const float*>(values.data()), block, rows, shape.feature_count, predictor);
  }
  reader.require_unchanged();
}

// The weights of the test rows for a model: empty without search.weighted.
std::vector<float> test_weights(const TrainingContext& context, const Iteration& model) {
  if (!context.study.search.weighted) return {};
  Split split;
  context.splits->rows_of_split(model.repeat, model.fold, split);
  return scoring_weights(context.study, context.plan.trial(model.trial).train, *context.data, split.training_rows,
                         context.splits->test_rows());
}

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

}  // namespace

TestResult test_models(const TrainingContext& context, const FileSchema& file, std::int64_t iteration,
                       const std::vector<std::string>& models, const std::vector<double>& weights) {
  const DataSet& data = *context.data;
  const RowSet& rows = context.splits->test_rows();
  std::vector<OpenedModel> opened;
  for (const auto& path : models) opened.push_back(load_model(path, context.study.run, core_lane));
  const ModelDescription& description = opened.front().trained->description;
  const bool are_probabilities = models.size() > 1 && data.task != Task::regression;
  const Scoring scoring{data.task,         description.loss,      are_probabilities,
                        data.output_count, description.quantiles, data.target_offsets};
  TestPredictor predictor(context.study, shape_of(data, context.study.data), opened, weights, scoring);
  if (data.features != nullptr)
    add_rows(data.features, {0, data.rows}, rows, data.feature_count, predictor);
  else if (data.byte_features != nullptr)
    add_rows(data.byte_features, {0, data.rows}, rows, data.feature_count, predictor);
  else
    add_from_file(context.study, file, rows, predictor);
  const std::vector<float> predictions = predictor.finish();

  TestResult result;
  result.rows = rows.count();
  const RowPredictions scored{scoring, predictions, data, rows,
                              test_weights(context, context.plan.iteration(iteration))};
  result.loss = prediction_loss(scored);
  const auto metrics = test_metrics(context.study, data.task, scoring.loss.kind, scoring.quantiles);
  result.study_metrics = metrics_of(context.study).size();
  const auto values = prediction_scores(metrics, scored);
  for (std::size_t number = 0; number < metrics.size(); ++number)
    result.metrics.push_back({metrics[number], values[number]});
  return result;
}

}  // namespace sheaf
