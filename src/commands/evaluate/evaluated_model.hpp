// What an evaluation is about: models and data, found fit for each other before anything is predicted or written.
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
  std::vector<OpenedModel> models;  ///< several: an ensemble
  EvaluatedRows rows;
  Scoring scoring;

  /// The file's data set of predictions is class probabilities, not values.
  bool predicts_classes() const { return scoring.task == Task::classification; }
};

/// The model files that a request names. Throws UsageError and RunError. Local.
std::vector<std::string> model_files(const EvaluationRequest& request);

/// Loads and checks, for lanes with that device. Throws UsageError and RunError with one sentence on the first
/// thing that is wrong. Local.
EvaluatedModel make_evaluated_model(const EvaluationRequest& request, LaneDevice device);

}  // namespace sheaf
