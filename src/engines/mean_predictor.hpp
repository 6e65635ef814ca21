// Predicts rows with a model, or with the mean of several models.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "models/prediction_mean.hpp"
#include "models/predictor.hpp"
#include "models/saved_model.hpp"
#include "parallel/devices/lane_device.hpp"
#include "study/run_options.hpp"
#include "training/metrics/scoring.hpp"

namespace sheaf {

/// Each lane has its own. Not shared between threads.
class MeanPredictor {
 public:
  /// Returns the features of the current rows without empty cells; null if they have none.
  using FillCells = std::function<const float*()>;

  /// `models`: one, or those of an ensemble; they must outlive the predictor. Throws as make_predictor().
  MeanPredictor(const std::vector<OpenedModel>& models, const std::vector<std::int64_t>& row_shape,
                const Scoring& scoring, const RunOptions& run, LaneDevice device);

  /// Computes [count, outputs] from features [count, ...]: of a regression, predictions in the units of the targets; of
  /// classes or labels, the outputs of one model, or the mean of the probabilities of several, which are summed in
  /// double in their order. `fill` is called if a feature may not be finite. Returns whether the outputs of all models
  /// are finite. Throws RunError as Predictor.
  [[nodiscard]] bool predict(const float* features, std::int64_t count, const FillCells& fill, float* outputs);

 private:
  Scoring scoring_;
  std::vector<std::unique_ptr<Predictor>> predictors_;  // one for each model
  PredictionMean mean_;                                 // of several models
};

}  // namespace sheaf
