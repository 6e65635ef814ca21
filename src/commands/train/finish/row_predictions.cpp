// SPDX-License-Identifier: MIT
#include "commands/train/finish/row_predictions.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/error.hpp"
#include "data/feature_reader.hpp"
#include "data/node_data.hpp"
#include "data/storage.hpp"
#include "engines/mean_predictor.hpp"
#include "training/training_cost.hpp"

namespace sheaf {
namespace {

// Predicts rows, a batch at a time.
class RowPredictor {
 public:
  RowPredictor(const Study& study, const DataShape& shape, const std::vector<OpenedModel>& models,
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
            "A model has no finite prediction for some rows of the data (their features are too far from those of "
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
void add_rows(const Value* values, IndexRange block, const RowSet& rows, std::int64_t width, RowPredictor& predictor) {
  rows.for_each(block, [&](std::int64_t row) { predictor.add(values + (row - block.begin) * width); });
}

void add_from_file(const Study& study, const FileSchema& file, const RowSet& rows, RowPredictor& predictor) {
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

}  // namespace

std::vector<float> predict_rows(const TrainingContext& context, const std::optional<FileSchema>& file,
                                const RowSet& rows, const std::vector<OpenedModel>& models,
                                const std::vector<double>& weights, const Scoring& scoring) {
  const DataSet& data = *context.data;
  RowPredictor predictor(context.study, shape_of(data, context.study->data), models, weights, scoring);
  if (data.features != nullptr)
    add_rows(data.features, {0, data.rows}, rows, data.feature_count, predictor);
  else if (data.byte_features != nullptr)
    add_rows(data.byte_features, {0, data.rows}, rows, data.feature_count, predictor);
  else
    add_from_file(context.study, *file, rows, predictor);
  return predictor.finish();
}

}  // namespace sheaf
