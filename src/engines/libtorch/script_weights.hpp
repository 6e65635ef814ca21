// New initial weights for a TorchScript module.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/script.h>

#include <cstdint>
#include <string>

#include "study/study.hpp"

namespace sheaf {

/// Overwrites the parameters of the module's layers of known types (Linear, Conv*, BatchNorm* and the other norms,
/// Embedding of torch.nn) that require a gradient, and resets the running statistics of norms. What requires none stays
/// as it is. Throws UsageError for parameters of another type. `file` names the module.
void draw_script_weights(torch::jit::Module& module, const std::string& file, Initialization rule,
                         std::uint64_t iteration_seed);

}  // namespace sheaf
