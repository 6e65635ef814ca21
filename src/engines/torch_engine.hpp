// SPDX-License-Identifier: MIT
#pragma once

#include "training/engine_entry.hpp"

namespace sheaf {

/// The row of the engine table for LibTorch: trains every model, on cores or a GPU. Making a trainer or predictor loads
/// LibTorch.
EngineEntry torch_engine();

}  // namespace sheaf
