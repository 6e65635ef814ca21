// Writes saved models as TorchScript files, which Python opens with torch.jit.load, without LibTorch.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "files/byte_sink.hpp"
#include "models/saved_model.hpp"

namespace sheaf {

/// Passes the bytes of a model file to `sink` in their order, without a copy of the parameters. The file contains the
/// module of models/torchscript_module and the saved model record. Requires a model with a layout (has_layout()); the
/// others contain code that only LibTorch can write. Throws what `sink` throws. Pure otherwise.
/// Source: torch/csrc/jit/docs/serialization.md in PyTorch.
void write_torchscript_archive(const SavedModel& trained, const ByteSink& sink);

/// The same bytes as a string. Pure.
std::string torchscript_archive(const SavedModel& trained);

/// Reads a file of write_torchscript_archive(), with all its parameters. Nothing for other files. Throws RunError if
/// the file cannot be read or is damaged. Local.
std::optional<SavedModel> read_torchscript_archive(const std::string& path);

}  // namespace sheaf
