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

/// Whether the run directory has the model of each of these iterations. Local.
bool has_models(const SavedModels& models, IndexRange iterations);

/// Writes best.txt after the last iteration, or warns why there is no best model. Returns the names in best.txt as
/// paths in the run directory; empty if there is none. Throws RunError. Local, for rank 0.
std::vector<std::string> write_best_model(const SavedModels& models, const RunResults& results);

/// With run.models = best, removes the models of all trials except the best one and the members of the ensemble of
/// trials. To be called when the results are complete: until then, another job may select other trials. Throws
/// RunError. Local, for rank 0.
void remove_other_models(const SavedModels& models, const RunResults& results);

/// Removes a file if it exists. Throws RunError. Local.
void remove_model(const std::string& path);

}  // namespace sheaf
