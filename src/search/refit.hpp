// How long a trial is trained again on all rows. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "study/stage.hpp"
#include "study/train_options.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

/// The refit of a trial by its fits: the iterations of its last stage, in their order; each member of an ensemble
/// counts as a fit. It has the length of the median fit: the lower median over those that finished, of the optimizer
/// steps up to the best epoch if train.best_weights keeps it, otherwise of all steps; the first of fits with this
/// number of steps. nullopt: no fit has finished.
std::optional<Refit> refit_of(std::int64_t trial, const TrainOptions& train, const std::vector<TrainedIteration>& fits);

}  // namespace sheaf
