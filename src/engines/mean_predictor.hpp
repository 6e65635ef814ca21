// Predicts rows with a model, or with the weighted mean of several models.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
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
  /// Returns the features of the current rows, with the values that a model (its number) has for empty cells; null if
  /// there are no empty cells.
  using FillCells = std::function<const float*(std::size_t model)>;

  /// `models`: one, or those of an ensemble; they must outlive the predictor. `weights`: [models], above 0; empty: all
  /// are equal. Throws as make_predictor().
  MeanPredictor(const std::vector<OpenedModel>& models, const std::vector<double>& weights,
                const std::vector<std::int64_t>& row_shape, const Scoring& scoring, const RunOptions& run,
                LaneDevice device);

  /// Computes [count, outputs] from features [count, ...]: of a regression, predictions in the units of the targets; of
  /// classes or labels, the outputs of one model, or the weighted mean of the probabilities of several, which are
  /// summed in double in their order. Each model makes predictions of its outputs by its own loss. `fill` is called if
  /// a feature may not be finite. Returns whether the outputs of all models are finite. Throws RunError as Predictor.
  [[nodiscard]] bool predict(const float* features, std::int64_t count, const FillCells& fill, float* outputs);

 private:
  struct Model {
    std::unique_ptr<Predictor> predictor;
    LossKind loss;
    double weight;
    bool takes_empty;  // NaN (takes_empty_cells())
  };

  const Task task_;
  const std::int64_t outputs_;
  std::vector<Model> models_;
  PredictionMean mean_;  // of several models
};

}  // namespace sheaf
