// TorchScript modules, saved by Python with torch.jit.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include <torch/script.h>

#include "engines/libtorch/network.hpp"
#include "models/network_layout.hpp"
#include "models/network_state.hpp"

namespace sheaf {

/// The module of a file. Networks are copies of it. Copies share its code, so an object must be used by one lane only.
class ScriptModel {
 public:
  /// Loads the file's first_content(), so changes to the file during a run have no effect. Throws RunError if the file
  /// is not a TorchScript module, or if the module draws random numbers in training other than for dropout: lanes share
  /// LibTorch's generator.
  explicit ScriptModel(const std::string& file);

  /// Makes a network with a copy of the module. Its weights are drawn from the iteration's seed, with one random stream
  /// for each layer with parameters, in the order of the module, as initial_weights() does; running statistics are
  /// reset. With `model.keep_weights` it has the weights of the file. Tensors that require no gradient keep their
  /// values. Throws UsageError if the initial weights for the type of a layer are not known.
  std::unique_ptr<Network> make(const ModelOptions& model, ImageShape image, std::uint64_t iteration_seed,
                                torch::Device device, Precision precision) const;

  /// A copy of the module with the state of a network from make(), in evaluation mode and in float32.
  torch::jit::Module trained(const NetworkState& state) const;

 private:
  std::string file_;
  torch::jit::Module module_;   // as in the file
  torch::jit::Module trained_;  // the same with dropout of engines/libtorch/script_dropout.hpp
};

}  // namespace sheaf
