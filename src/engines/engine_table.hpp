// The engines of the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "training/engine_entry.hpp"

namespace sheaf {

/// All engines. Of those that can train a trial, run.engine = by_model takes the first.
const std::vector<EngineEntry>& engine_table();

/// The engine of that name, which the table has.
const EngineEntry& engine_named(std::string_view name);

}  // namespace sheaf
