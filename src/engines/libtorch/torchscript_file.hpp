// Saves models as TorchScript files, which Python opens with torch.jit.load. A file contains the code of the network
// and the record that describes the model (models/saved_model_record).
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "models/saved_model.hpp"

namespace sheaf {

/// The function of a module with offsets that takes features without them, and returns outputs without them. Numbers
/// with offsets have more digits than the network's type.
inline constexpr const char* relative_forward_name = "forward_relative";

/// The bytes of a model file. Its module takes raw features of any type, [rows, features] or [rows, C, H, W], subtracts
/// the buffer `offset`, replaces NaN by `fill`, scales with `shift` and `scale`, and returns outputs [rows, outputs]:
/// plain values, plus `target_offset`, or logits. Offsets are float64, as are outputs with offsets. It is in
/// evaluation mode; its parameters require gradients and it has a training mode, so that it can be trained further. A
/// TorchScript module is read again from its file and becomes a submodule. Plugins cannot be saved, because their code
/// is in their library. Throws RunError if LibTorch fails. Local.
std::string torchscript_file_bytes(const SavedModel& trained);

/// Loads a TorchScript file, on the CPU, in evaluation mode. Throws RunError if it is not TorchScript. Local.
std::shared_ptr<torch::jit::Module> load_module(const std::string& path);

}  // namespace sheaf
