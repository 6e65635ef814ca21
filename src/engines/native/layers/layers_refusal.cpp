// SPDX-License-Identifier: MIT
#include "engines/native/layers/layers_refusal.hpp"

#include <algorithm>
#include <stdexcept>

namespace sheaf {

std::optional<std::string> layers_refusal(const std::vector<Layer>& layers) {
  if (layers.empty()) return "its layers are not known";
  for (std::size_t index = 0; index < layers.size(); ++index) {
    const Layer& layer = layers[index];
    const bool last = index + 1 == layers.size();
    const bool normed = !last && layer.kind == Layer::Kind::dense && layers[index + 1].is_norm();
    switch (layer.kind) {
      case Layer::Kind::convolution:
        return "the network has convolutions";
      case Layer::Kind::batch_norm:
      case Layer::Kind::layer_norm:
        if (index == 0 || last || layers[index - 1].kind != Layer::Kind::dense)
          return "a norm is not between dense layers";
        if (layer.kind == Layer::Kind::batch_norm && layers[index - 1].bias)
          return "a batch norm follows a layer with a bias";
        break;
      case Layer::Kind::encoding:
        if (index > 0 || last) return "an encoding is not the first of several layers";
        break;
      case Layer::Kind::dense:
        break;
    }
    // The layer after a dense one adds its bias; the loss adds that of the last layer.
    if (layer.activated == (last || normed || layer.is_encoding()))
      return "an activation must follow each hidden layer, and only these";
  }
  return std::nullopt;
}

void require_layers(const std::vector<Layer>& layers) {
  if (const auto reason = layers_refusal(layers)) throw std::logic_error("the native engine was not asked: " + *reason);
}

}  // namespace sheaf
