// SPDX-License-Identifier: MIT
#include "engines/mean_predictor.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "engines/model_opening.hpp"
#include "models/predictions.hpp"

namespace sheaf {

MeanPredictor::MeanPredictor(const std::vector<OpenedModel>& models, const std::vector<std::int64_t>& row_shape,
                             const Scoring& scoring, const RunOptions& run, LaneDevice device)
    : scoring_(scoring) {
  for (const OpenedModel& model : models)
    predictors_.push_back(make_predictor(model, row_shape, scoring.output_count, run, device));
}

bool MeanPredictor::predict(const float* features, std::int64_t count, const FillCells& fill, float* outputs) {
  const bool has_several = predictors_.size() > 1;
  const auto values = static_cast<std::size_t>(count * scoring_.output_count);
  mean_.clear();
  bool all_finite = true;
  for (const auto& predictor : predictors_) {
    if (!predictor->predict(features, count, outputs)) {
      if (const float* const filled = fill(); filled != nullptr) {
        features = filled;
        static_cast<void>(predictor->predict(features, count, outputs));
      }
    }
    if (scoring_.task == Task::regression) make_predictions(scoring_.loss.kind, scoring_.output_count, outputs, count);
    all_finite =
        all_finite && std::all_of(outputs, outputs + values, [](float output) { return std::isfinite(output); });
    if (!has_several) break;
    if (scoring_.task != Task::regression) make_predictions(scoring_.loss.kind, scoring_.output_count, outputs, count);
    mean_.add(outputs, values);
  }
  if (has_several) mean_.write(outputs);
  return all_finite;
}

}  // namespace sheaf
