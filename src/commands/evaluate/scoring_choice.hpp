// How the predictions of an evaluation are scored: task, loss, positive class, threshold, metrics and target offsets.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "commands/evaluate/evaluated_model.hpp"
#include "commands/evaluate/evaluation_request.hpp"
#include "study/metrics.hpp"

namespace sheaf {

/// Chooses what the request does not name by the models and the rows, which are open, and checks all of it against
/// them; without metrics. Throws UsageError and RunError. Local.
void choose_scoring(const EvaluationRequest& request, EvaluatedModel& evaluated);

/// The metric that `option` names, with the value of its parameter, after choose_scoring(). Throws UsageError if it
/// does not apply to the model, and RunError if the model has no such class. Pure.
MetricFunction checked_metric(const std::string& option, const MetricChoice& metric, const EvaluationRequest& request,
                              const EvaluatedModel& evaluated);

/// Chooses the metrics of an evaluation: all without a parameter that apply, and the further ones of the request, in
/// the order of the table. Throws as checked_metric(). Local.
void choose_metrics(const EvaluationRequest& request, EvaluatedModel& evaluated);

/// What to do if a file seems to have no targets: "Select the targets with --label". Pure.
std::string targets_advice(const std::string& file);

}  // namespace sheaf
