// SPDX-License-Identifier: MIT
#pragma once

#include "training/engine_entry.hpp"

namespace sheaf {

/// The row of the engine table: every model, on cores or a GPU, by LibTorch, which making a trainer or predictor loads.
EngineEntry torch_engine();

}  // namespace sheaf
