// Makes networks of all kinds.
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

/// The description of one iteration's network.
struct NetworkParts {
  const ModelOptions& model;
  const std::vector<Layer>& layers;   ///< from network_layout()
  const std::vector<float>& weights;  ///< from initial_weights()
  const DataShape& shape;
  std::uint64_t iteration_seed = 0;
  const FeatureScaling& scaling;
};

/// Makes networks. A file is loaded when it is first needed. Not shared between threads.
class NetworkMaker {
 public:
  NetworkMaker();
  ~NetworkMaker();

  /// Throws RunError if a file is not a model or fails, UsageError if the study's settings do not fit it.
  std::unique_ptr<Network> make(const NetworkParts& parts, torch::Device device, Precision precision);

 private:
  std::map<std::string, std::unique_ptr<ScriptModel>> scripts_;
  std::map<std::string, std::unique_ptr<PluginModel>> plugins_;
};

}  // namespace sheaf
