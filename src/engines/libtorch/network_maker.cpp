// SPDX-License-Identifier: MIT
#include "engines/libtorch/network_maker.hpp"

#include "engines/libtorch/layer_network.hpp"
#include "engines/libtorch/plugin_model.hpp"
#include "engines/libtorch/script_model.hpp"

namespace sheaf {
namespace {

template <class Model>
const Model& loaded(std::map<std::string, std::unique_ptr<Model>>& models, const std::string& file) {
  auto& model = models[file];
  if (!model) model = std::make_unique<Model>(file);
  return *model;
}

}  // namespace

NetworkMaker::NetworkMaker() = default;
NetworkMaker::~NetworkMaker() = default;

std::unique_ptr<Network> NetworkMaker::make(const NetworkParts& parts, torch::Device device, Precision precision) {
  const ModelOptions& model = parts.model;
  if (model.kind == ModelKind::torchscript)
    return loaded(scripts_, model.file).make(model, parts.shape.image, parts.iteration_seed, device, precision);
  if (model.kind == ModelKind::plugin)
    return loaded(plugins_, model.file).make(parts.shape, parts.iteration_seed, device, precision);
  return std::make_unique<LayerNetwork>(model, parts.layers, parts.weights, device, precision, parts.scaling);
}

}  // namespace sheaf
