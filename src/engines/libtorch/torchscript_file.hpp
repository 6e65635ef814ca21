// Trained models as TorchScript files, which Python's torch.jit.load opens: written for every kind of network that has
// its code in it, together with its result (models/saved_model_record). SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "models/saved_model.hpp"

namespace sheaf {

/// The bytes of a model file. Its module takes raw features, [rows, features] or [rows, C, H, W] of any type, scales
/// them by its buffers `shift` and `scale`, and gives outputs [rows, outputs]: plain values, or logits. A TorchScript
/// module is read once more from its own file, and stands inside. Throws RunError when LibTorch fails. Not for plugins,
/// whose code is in their library. Local.
std::string torchscript_file_bytes(const SavedModel& trained);

/// The module of a file, on the CPU, in evaluation mode. Throws RunError when it is not TorchScript. Local.
std::shared_ptr<torch::jit::Module> load_module(const std::string& path);

}  // namespace sheaf
