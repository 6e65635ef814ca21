// Trained models as TorchScript files, which Python's torch.jit.load opens: written for every kind of network that has
// its code in it, and read back, those of others, too. SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "model/trained_model.hpp"

namespace sheaf {

/// The bytes of a model file. Its module takes raw features, [rows, features] or [rows, C, H, W] of any type, scales
/// them by its buffers `shift` and `scale`, and gives outputs [rows, outputs]: plain values, or logits. A TorchScript
/// module is read once more from its own file, and stands inside. Throws RunError when LibTorch fails. Not for plugins,
/// whose code is in their library. Local.
std::string model_file_bytes(const TrainedModel& trained);

/// Throws RunError when there is no such file, or when it is not TorchScript. Local.
LoadedModel load_model_file(const std::string& path);

}  // namespace sheaf
