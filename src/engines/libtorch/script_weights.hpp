// Draws new initial weights for a TorchScript module.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/script.h>

#include <cstdint>
#include <string>

#include "study/model_options.hpp"

namespace sheaf {

/// Overwrites the parameters that require a gradient in layers of known types (Linear, Conv*, BatchNorm* and other
/// norms, Embedding of torch.nn), and resets the running statistics of norms. Other tensors are not changed. Throws
/// UsageError for trainable parameters in layers of other types. `file` is used in its message.
void draw_script_weights(torch::jit::Module& module, const std::string& file, Initialization rule,
                         std::uint64_t iteration_seed);

}  // namespace sheaf
