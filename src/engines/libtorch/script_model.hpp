// Modules that Python saved with torch.jit.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include <torch/script.h>

#include "engines/libtorch/network.hpp"
#include "models/network_layout.hpp"
#include "models/network_state.hpp"

namespace sheaf {

/// A file's module, of which networks are copies. Copies share its code: to be used by one lane alone.
class ScriptModel {
 public:
  /// Loads the file's first_content(): what becomes of the file during a run does not matter.
  /// Throws RunError when the file is no such module or draws random numbers in training: those come from LibTorch's
  /// generator, which lanes share.
  explicit ScriptModel(const std::string& file);

  /// A copy with weights from streams of the iteration's seed, one for each layer with parameters in the module's
  /// order (as initial_weights() draws them; running statistics start anew), or with the file's own if
  /// `model.keep_weights`. What requires no gradient keeps its values. Throws UsageError when a layer is of a type
  /// whose initial weights are not known.
  std::unique_ptr<Network> make(const ModelOptions& model, ImageShape image, std::uint64_t iteration_seed,
                                torch::Device device, Precision precision) const;

  /// A copy in evaluation mode with the state of a network of make(), its floating-point numbers in 32 bits.
  torch::jit::Module trained(const NetworkState& state) const;

 private:
  std::string file_;
  torch::jit::Module module_;
};

}  // namespace sheaf
