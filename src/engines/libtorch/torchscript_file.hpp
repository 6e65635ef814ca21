// TorchScript files that only LibTorch reads and writes. models/torchscript_archive writes those of networks with a
// layout.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "models/saved_model.hpp"

namespace sheaf {

/// The bytes of a model file for a model from a TorchScript file: the module of models/torchscript_module, and the
/// saved model record. The TorchScript module is read again from its file and becomes a submodule. Throws RunError if
/// LibTorch fails. Local.
std::string script_model_file_bytes(const SavedModel& trained);

/// Loads a TorchScript file, on the CPU, in evaluation mode. Throws RunError if it is not TorchScript. Local.
std::shared_ptr<torch::jit::Module> load_module(const std::string& path);

}  // namespace sheaf
