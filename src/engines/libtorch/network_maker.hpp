// Networks of every kind that a study names.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engines/libtorch/network.hpp"
#include "models/network_layout.hpp"

namespace sheaf {

class PluginModel;
class ScriptModel;

/// What one iteration's network is made of.
struct NetworkParts {
  const ModelOptions& model;
  const std::vector<Layer>& layers;   ///< of network_layout()
  const std::vector<float>& weights;  ///< of initial_weights()
  const DataShape& shape;
  std::uint64_t iteration_seed = 0;
};

/// Makes networks. A file is loaded when it is first named. Not shared between threads.
class NetworkMaker {
 public:
  NetworkMaker();
  ~NetworkMaker();

  /// Throws RunError when a file is no model or fails, UsageError when it cannot be used as the study says.
  std::unique_ptr<Network> make(const NetworkParts& parts, torch::Device device, Precision precision);

 private:
  std::map<std::string, std::unique_ptr<ScriptModel>> scripts_;
  std::map<std::string, std::unique_ptr<PluginModel>> plugins_;
};

}  // namespace sheaf
