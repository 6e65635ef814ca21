// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engines/engine_table.hpp"
#include "parallel/devices/gpus.hpp"

namespace sheaf {

/// The GPUs that both the CUDA runtime and an engine of the table can use, or the reason why there are none. May load
/// the libraries of engines that use GPUs. Throws RunError if one cannot be loaded. Local.
VisibleGpus find_usable_gpus();

/// The same. `obstacle`: returns the reason why an engine must not be asked; no value if it may.
VisibleGpus find_usable_gpus_unless(const std::function<std::optional<std::string>(const EngineEntry&)>& obstacle);

}  // namespace sheaf
