// The engine `xgboost`: boosted trees on one core per lane.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "models/saved_model.hpp"
#include "training/engine_entry.hpp"

namespace sheaf {

EngineEntry xgboost_engine();

/// The model file of boosted trees: XGBoost's JSON format, with the description of the model as the attribute `sheaf`
/// (models/tree_model_file.hpp). Throws RunError. Local, thread-safe.
std::string tree_model_file_bytes(const SavedModel& trained);

}  // namespace sheaf
