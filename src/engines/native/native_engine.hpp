// SPDX-License-Identifier: MIT
#pragma once

#include "training/engine_entry.hpp"

namespace sheaf {

/// The row of the engine table for the native engine: networks of dense layers on CPU cores, one thread per model.
EngineEntry native_engine();

}  // namespace sheaf
