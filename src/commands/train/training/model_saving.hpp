// Writes the trained models of a run: RUN_DIR/models/iteration-<n>.pt, and best.txt with the file names of the best
// model, one per line.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
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

/// Writes best.txt and, for a refit, refit.txt after the last iteration, or warns why there is no best model or no
/// refit. The lists become RunResults::best_models and RefitResults::models. With run.models = best, removes the models
/// of all other trials, unless iterations without a result are `left`, which may make another trial the best. Throws
/// RunError. Local, for rank 0.
void write_model_lists(const SavedModels& models, RunResults& results, bool left);

}  // namespace sheaf
