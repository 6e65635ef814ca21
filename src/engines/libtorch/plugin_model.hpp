// C++ modules from shared libraries of the user's.
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
  /// Throws RunError when the file is no plugin, or one built for another Sheaf or LibTorch. What was loaded stays in
  /// the process.
  explicit PluginModel(const std::string& file);

  /// A module of its factory's for rows of `shape`. Throws RunError when the module holds dropout layers of LibTorch's,
  /// whose generator lanes share.
  std::unique_ptr<Network> make(const DataShape& shape, std::uint64_t iteration_seed, torch::Device device,
                                Precision precision) const;

 private:
  std::string file_;
  PluginFactory factory_;
};

}  // namespace sheaf
