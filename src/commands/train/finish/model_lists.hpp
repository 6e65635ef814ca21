// The models with which a finished run predicts: their lists, best.txt and refit.txt, with one file name per line, and
// the removal of the others.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "commands/train/training/model_saving.hpp"
#include "runs/results/run_results.hpp"

namespace sheaf {

/// Writes best.txt and, for a refit, refit.txt after the last iteration, or warns why there is no best model or no
/// refit. The lists become RunResults::best_models and RefitResults::models. Throws RunError. Local, for rank 0.
void write_model_lists(const SavedModels& models, RunResults& results);

/// Lets the members of an ensemble of trials predict with their refits, if all models of a refit are saved. Local.
void use_refits(const SavedModels& models, const std::optional<RefitResults>& refits, TrialEnsemble& ensemble);

/// Removes the models of earlier refits if the run has another one, and with run.models = best those of all trials
/// except the best one, the refits and the members of the ensemble of trials. To be called when the results are
/// complete: until then, another job may select other trials. Throws RunError. Local, for rank 0.
void remove_other_models(const SavedModels& models, const RunResults& results);

}  // namespace sheaf
