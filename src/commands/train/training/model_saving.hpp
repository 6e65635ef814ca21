// Writes the trained models of a run: RUN_DIR/models/iteration-<n>.pt and refit-<trial>-<member>.pt.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/index_range.hpp"
#include "models/network_layout.hpp"
#include "study/settled_study.hpp"
#include "training/engine.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// The description of a run's models and their directory. Referenced objects outlive it.
struct SavedModels {
  const SettledStudy& study;
  const Plan& plan;
  DataShape shape;
  const DataDescription& data;
  std::string run_directory;
};

/// Wraps `engine` so that it writes each trained model before it passes the iteration on; every iteration in a journal
/// therefore has its file. run.models = best also writes all models, because the best one is known only at the end,
/// perhaps in another job. Training throws RunError if a file cannot be written.
std::unique_ptr<Engine> saving_models(std::unique_ptr<Engine> engine, SavedModels models);

/// The file of an iteration's model. Pure.
std::string saved_model_path(const SavedModels& models, std::int64_t number);

/// The first of these iterations whose model is not in the run directory; nullopt: all are. Local.
std::optional<std::int64_t> find_missing_model(const SavedModels& models, IndexRange iterations);

}  // namespace sheaf
