// SPDX-License-Identifier: MIT
#include "engines/native/layers/layers_refusal.hpp"

#include <algorithm>
#include <stdexcept>

namespace sheaf {

std::optional<std::string> layers_refusal(const std::vector<Layer>& layers) {
  if (layers.empty()) return "its layers are not known";
  for (const Layer& layer : layers) switch (layer.kind) {
      case Layer::Kind::dense:
        break;
      case Layer::Kind::convolution:
        return "the network has convolutions";
      case Layer::Kind::batch_norm:
        return "the network has batch norms";
    }
  // The layer after a dense one adds its bias; the loss adds that of the last layer.
  for (const Layer& layer : layers)
    if (layer.activated != (&layer != &layers.back())) return "an activation must follow each layer except the last";
  return std::nullopt;
}

void require_layers(const std::vector<Layer>& layers) {
  if (const auto reason = layers_refusal(layers)) throw std::logic_error("the native engine was not asked: " + *reason);
}

}  // namespace sheaf
