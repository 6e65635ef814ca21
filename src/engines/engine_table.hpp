// The table of engines.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "training/engine_entry.hpp"

namespace sheaf {

/// All engines. run.engine = by_model selects the first one that can train the trial.
const std::vector<EngineEntry>& engine_table();

/// The engine with this name. It must be in the table.
const EngineEntry& engine_named(std::string_view name);

/// The engine of boosted trees.
const EngineEntry& engine_of_trees();

/// The GPU on which an engine trains in a lane with this device; -1: on cores. `engine`: also no_engine.
int gpu_of(const EngineName& engine, LaneDevice device);

}  // namespace sheaf
