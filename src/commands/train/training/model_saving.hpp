// Writes the trained models of a run: RUN_DIR/models/iteration-<n>.pt and refit-<trial>-<member>.pt, and lists of the
// best model and of its refit, best.txt and refit.txt, with one file name per line.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/network_layout.hpp"
#include "runs/results/run_results.hpp"
#include "training/engine.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// The description of a run's models and their directory. Referenced objects outlive it.
struct SavedModels {
  const Study& study;
  const Plan& plan;
  DataShape shape;
  const DataDescription& data;
  std::string run_directory;
};

/// Wraps `engine` so that it writes each trained model before it passes the iteration on; every iteration in a journal
/// therefore has its file. run.models = best also writes all models, because the best one is known only at the end,
/// perhaps in another job. Training throws RunError if a file cannot be written.
std::unique_ptr<Engine> saving_models(std::unique_ptr<Engine> engine, SavedModels models);

/// Whether the run directory has the model of each of these iterations. Local.
bool has_models(const SavedModels& models, IndexRange iterations);

/// Writes best.txt and, for a refit, refit.txt after the last iteration, or warns why there is no best model or no
/// refit. The lists become RunResults::best_models and RefitResults::models. Throws RunError. Local, for rank 0.
void write_model_lists(const SavedModels& models, RunResults& results);

/// Lets the members of an ensemble of trials predict with their refits, if all models of a refit are saved. Local.
void use_refits(const SavedModels& models, const std::optional<RefitResults>& refits, TrialEnsemble& ensemble);

/// Removes the models of earlier refits if the run has another one, and with run.models = best those of all trials
/// except the best one, the refits and the members of the ensemble of trials. To be called when the results are
/// complete: until then, another job may select other trials. Throws RunError. Local, for rank 0.
void remove_other_models(const SavedModels& models, const RunResults& results);

/// Removes a file if it exists. Throws RunError. Local.
void remove_model(const std::string& path);

}  // namespace sheaf
