// Model files of plugins: the tensors of a module without its code, which Python reads with torch.load. Does not need
// LibTorch.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "files/byte_sink.hpp"
#include "models/saved_model.hpp"
#include "models/torchscript_module.hpp"

namespace sheaf {

/// Passes the bytes of a model file to `sink` in their order: a dictionary from the names of `tensors` to their values,
/// in the format of torch.save, and the saved model record of `trained`. Throws what `sink` throws. Pure otherwise.
/// Source: torch/serialization.py in PyTorch (`_save`).
void write_state_archive(const SavedModel& trained, const std::vector<ModuleTensor>& tensors, const ByteSink& sink);

/// The bytes of the tensors of such a file, in their order. Throws RunError if the file cannot be read or is damaged.
/// Local.
std::vector<std::string> read_state_archive(const std::string& path);

}  // namespace sheaf
