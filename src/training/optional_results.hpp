// Results of an iteration that only some studies need: predictions for ensembles, and the network to save.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "data/splits.hpp"
#include "study/trial.hpp"
#include "training/iteration_result.hpp"
#include "training/trainer.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// Adds the optional results of a finished iteration: for ensembles the predictions, made from the `outputs` for the
/// validation rows; with `run.models` the network and the scaling of its split.
void add_optional_results(const TrainingContext& context, const Trial& trial, const Split& split,
                          const Trainer& trainer, std::vector<float>&& outputs, TrainedIteration& trained);

}  // namespace sheaf
