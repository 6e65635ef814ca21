// The trained models that a run writes: RUN_DIR/models/iteration-<n>.pt, and best.txt, which names the files of the
// best model, one a line. SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "models/network_layout.hpp"
#include "runs/results/run_results.hpp"
#include "training/engine.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// What the models of a run are, and where they go. What is referred to outlives it.
struct SavedModels {
  const Study& study;
  const Plan& plan;
  DataShape shape;
  std::string run_directory;
};

/// `engine`, which writes each trained model before it hands the iteration on: what a journal holds has its file. Both
/// run.models = all and best write all, since the best is only known in the end, perhaps by another job. Training
/// throws RunError when a file cannot be written.
std::unique_ptr<Engine> saving_models(std::unique_ptr<Engine> engine, SavedModels models);

/// After the last iteration: writes best.txt, or warns why there is no best model. With run.models = best, removes the
/// models of all trials but the best; not while iterations without a result are `left`, since those may make another
/// trial the best. Throws RunError. Local, for rank 0.
void settle_best_model(const SavedModels& models, const RunResults& results, bool left);

}  // namespace sheaf
