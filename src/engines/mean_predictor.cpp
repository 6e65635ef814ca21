// SPDX-License-Identifier: MIT
#include "engines/mean_predictor.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engines/model_opening.hpp"
#include "models/predictions.hpp"

namespace sheaf {

MeanPredictor::MeanPredictor(const std::vector<OpenedModel>& models, const std::vector<double>& weights,
                             const std::vector<std::int64_t>& row_shape, const Scoring& scoring, const RunOptions& run,
                             LaneDevice device)
    : task_(scoring.task), outputs_(scoring.output_count) {
  assert(weights.empty() || weights.size() == models.size());
  for (std::size_t number = 0; number < models.size(); ++number) {
    const OpenedModel& model = models[number];
    models_.push_back({make_predictor(model, row_shape, outputs_, run, device),
                       model.trained ? model.trained->description.loss.kind : scoring.loss.kind,
                       weights.empty() ? 1 : weights[number], takes_empty_cells(model)});
  }
}

bool MeanPredictor::predict(const float* features, std::int64_t count, const FillCells& fill, float* outputs) {
  const bool has_several = models_.size() > 1;
  const auto values = static_cast<std::size_t>(count * outputs_);
  mean_.clear();
  bool all_finite = true, has_empty_cells = false;
  for (std::size_t number = 0; number < models_.size(); ++number) {
    const auto& [predictor, loss, weight, takes_empty] = models_[number];
    const float* const known = has_empty_cells && !takes_empty ? fill(number) : nullptr;
    if (!predictor->predict(known != nullptr ? known : features, count, outputs) && !has_empty_cells) {
      if (const float* const filled = fill(number); filled != nullptr) {
        has_empty_cells = true;
        static_cast<void>(predictor->predict(filled, count, outputs));
      }
    }
    if (task_ == Task::regression) make_predictions(loss, outputs_, outputs, count);
    all_finite =
        all_finite && std::all_of(outputs, outputs + values, [](float output) { return std::isfinite(output); });
    if (!has_several) break;
    if (task_ != Task::regression) make_predictions(loss, outputs_, outputs, count);
    mean_.add(outputs, values, weight);
  }
  if (has_several) mean_.write(outputs);
  return all_finite;
}

}  // namespace sheaf
