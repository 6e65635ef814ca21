// The held-out predictions of an iteration.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "runs/journal/result_store.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// The number of rows for which the journal has predictions of an iteration (run.predictions). 0 if they are not for
/// the validation rows of these data: --force allows a run to continue with other data. Local.
std::int64_t predicted_rows(const TrainingContext& context, const JournaledIteration& iteration);

}  // namespace sheaf
