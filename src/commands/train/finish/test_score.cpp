// SPDX-License-Identifier: MIT
#include "commands/train/finish/test_score.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/error.hpp"
#include "data/feature_reader.hpp"
#include "data/node_data.hpp"
#include "data/storage.hpp"
#include "engines/model_opening.hpp"
#include "models/predictions.hpp"
#include "study/metrics.hpp"
#include "training/class_weights.hpp"
#include "training/metrics/score.hpp"
#include "training/training_cost.hpp"

namespace sheaf {
namespace {

// Predicts rows with the mean of several models, a batch at a time.
class MeanPredictor {
 public:
  MeanPredictor(const Study& study, const DataShape& shape, const std::vector<std::string>& paths)
      : width_(shape.features), outputs_(shape.outputs) {
    const ImageShape& image = shape.image;
    const std::vector<std::int64_t> row_shape =
        image.channels > 0 ? std::vector<std::int64_t>{image.channels, image.height, image.width}
                           : std::vector<std::int64_t>{shape.features};
    for (const auto& path : paths) models_.push_back(load_model(path, study.run, core_lane));
    for (const OpenedModel& model : models_)
      predictors_.push_back(make_predictor(model, row_shape, shape.outputs, study.run, core_lane));
  }

  const SavedModel& model() const { return *models_.front().trained; }

  // Adds the features of a row.
  template <class Value>
  void add(const Value* row) {
    features_.insert(features_.end(), row, row + width_);
    if (static_cast<std::int64_t>(features_.size()) >= std::max(batch_values, width_)) predict();
  }

  // The predictions of all rows, [rows, outputs]: logits of one model, means of probabilities, or numbers.
  std::vector<float> finish() {
    predict();
    return std::move(predictions_);
  }

 private:
  static constexpr std::int64_t batch_values = std::int64_t{64} << 10;

  void predict() {
    if (features_.empty()) return;
    const auto rows = static_cast<std::int64_t>(features_.size()) / width_;
    std::vector<float> outputs(static_cast<std::size_t>(rows * outputs_));
    std::vector<double> sums(outputs.size());
    for (std::size_t member = 0; member < models_.size(); ++member) {
      predict(member, rows, outputs.data());
      if (models_.size() > 1 || model().description.task == Task::regression)
        make_predictions(model().description.loss.kind, outputs_, outputs.data(), rows);
      require(std::all_of(outputs.begin(), outputs.end(), [](float output) { return std::isfinite(output); }),
              "The best model has no finite prediction for some test rows (their features are too far from those of "
              "the training rows, or have empty cells that the training rows do not have). Correct them, and evaluate "
              "the model on such rows with sheaf evaluate.");
      for (std::size_t index = 0; index < sums.size(); ++index) sums[index] += double{outputs[index]};
    }
    const auto members = static_cast<double>(models_.size());
    for (const double sum : sums) predictions_.push_back(static_cast<float>(sum / members));
    features_.clear();
  }

  void predict(std::size_t member, std::int64_t rows, float* outputs) {
    if (!predictors_[member]->predict(features_.data(), rows, outputs)) {
      std::vector<float> filled = features_;
      const auto& fill = models_[member].trained->scaling.fill;
      for (std::size_t index = 0; index < filled.size() && !fill.empty(); ++index)
        if (std::isnan(filled[index])) filled[index] = fill[index % static_cast<std::size_t>(width_)];
      static_cast<void>(predictors_[member]->predict(filled.data(), rows, outputs));
    }
  }

  const std::int64_t width_, outputs_;
  std::vector<OpenedModel> models_;
  std::vector<std::unique_ptr<Predictor>> predictors_;
  std::vector<float> features_;  // of rows that are not predicted yet
  std::vector<float> predictions_;
};

// Adds those of `rows` that are in `block`, whose values begin with its first row.
template <class Value>
void add_rows(const Value* values, IndexRange block, const RowSet& rows, std::int64_t width, MeanPredictor& predictor) {
  rows.for_each(block, [&](std::int64_t row) { predictor.add(values + (row - block.begin) * width); });
}

void add_from_file(const Study& study, const FileSchema& file, const RowSet& rows, MeanPredictor& predictor) {
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
                       const std::vector<std::string>& models) {
  const DataSet& data = *context.data;
  const RowSet& rows = context.splits->test_rows();
  MeanPredictor predictor(context.study, shape_of(data, context.study.data), models);
  if (data.features != nullptr)
    add_rows(data.features, {0, data.rows}, rows, data.feature_count, predictor);
  else if (data.byte_features != nullptr)
    add_rows(data.byte_features, {0, data.rows}, rows, data.feature_count, predictor);
  else
    add_from_file(context.study, file, rows, predictor);
  const std::vector<float> predictions = predictor.finish();

  const LossFunction loss = predictor.model().description.loss;
  const bool are_probabilities = models.size() > 1 && data.task != Task::regression;
  const std::vector<double>& quantiles = predictor.model().description.quantiles;
  const Scoring scoring{data.task, loss, are_probabilities, data.output_count, quantiles, data.target_offsets};
  TestResult result;
  result.rows = rows.count();
  const Iteration model = context.plan.iteration(iteration);
  const auto split = context.splits->split(model.repeat, model.fold);
  const RowPredictions scored{
      scoring, predictions, data, rows,
      validation_weights(context.study, context.plan.trial(model.trial).train, data, split->training_rows, rows)};
  result.loss = prediction_loss(scored);
  const auto metrics = test_metrics(context.study, data.task, loss.kind, quantiles);
  result.study_metrics = metrics_of(context.study).size();
  const auto values = prediction_scores(metrics, scored);
  for (std::size_t number = 0; number < metrics.size(); ++number)
    result.metrics.push_back({metrics[number], values[number]});
  return result;
}

}  // namespace sheaf
