// The models and data of an evaluation, checked against each other before anything is predicted or written.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "commands/evaluate/evaluated_rows.hpp"
#include "commands/evaluate/evaluation_request.hpp"
#include "models/saved_model.hpp"
#include "parallel/devices/lane_device.hpp"
#include "training/metrics/evaluation_sums.hpp"

namespace sheaf {

struct EvaluatedModel {
  std::vector<OpenedModel> models;  ///< more than one: an ensemble
  EvaluatedRows rows;
  Scoring scoring;

  /// Whether predictions are class probabilities, not values.
  bool predicts_classes() const { return scoring.task == Task::classification; }
};

/// The model files that a request selects. Throws UsageError and RunError. Local.
std::vector<std::string> model_files(const EvaluationRequest& request);

/// Loads the models for lanes on `device`, opens the data, and checks both. Throws UsageError or RunError for the first
/// problem. Local.
EvaluatedModel make_evaluated_model(const EvaluationRequest& request, LaneDevice device);

}  // namespace sheaf
