// C++ modules from shared libraries of users.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <sheaf/plugin.hpp>
#include <string>

#include "engines/libtorch/network.hpp"
#include "models/network_layout.hpp"

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

 private:
  std::string file_;
  PluginFactory factory_;
};

}  // namespace sheaf
