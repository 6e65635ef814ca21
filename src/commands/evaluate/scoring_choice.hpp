// How the predictions of an evaluation are scored: task, loss, positive class, threshold, metrics and target offsets.
// SPDX-License-Identifier: MIT
#pragma once

#include "commands/evaluate/evaluated_model.hpp"
#include "commands/evaluate/evaluation_request.hpp"

namespace sheaf {

/// Chooses what the request does not name by the models and the rows, which are open, and checks all of it against
/// them. Throws UsageError and RunError. Local.
void choose_scoring(const EvaluationRequest& request, EvaluatedModel& evaluated);

}  // namespace sheaf
