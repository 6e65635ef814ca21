// C++ modules from shared libraries of users.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <sheaf/plugin.hpp>
#include <string>
#include <vector>

#include "engines/libtorch/network.hpp"
#include "models/network_layout.hpp"
#include "models/network_state.hpp"
#include "models/saved_model.hpp"
#include "models/torchscript_module.hpp"

namespace sheaf {

class PluginModel {
 public:
  /// Throws RunError if the file is not a plugin or was built for another Sheaf or LibTorch. Loaded libraries stay in
  /// the process.
  explicit PluginModel(const std::string& file);

  /// Makes a network with a new module for rows of `shape`. Throws RunError if the module has dropout layers of
  /// LibTorch, because lanes share their generator.
  std::unique_ptr<Network> make(const DataShape& shape, std::uint64_t iteration_seed, torch::Device device,
                                Precision precision) const;

  /// The parameters and buffers of the module with the state of a network from make(), in float32 or, those that are
  /// not floating-point numbers, int64. Parameters that are not trained follow from the seed.
  std::vector<ModuleTensor> trained(const DataShape& shape, std::uint64_t iteration_seed,
                                    const NetworkState& state) const;

  /// Makes a network with the bytes of these tensors. Throws RunError if they do not fit the module.
  std::unique_ptr<Network> restored(const DataShape& shape, const std::vector<std::string>& tensors,
                                    torch::Device device) const;

 private:
  torch::nn::AnyModule module_for(const DataShape& shape, std::uint64_t seed) const;

  std::string file_;
  PluginFactory factory_;
};

/// The bytes of a model file for a model of a plugin (models/state_archive.hpp). Throws RunError if the plugin or
/// LibTorch fails. Local.
std::string plugin_model_file_bytes(const SavedModel& trained, std::uint64_t iteration_seed);

}  // namespace sheaf
