// SPDX-License-Identifier: MIT
#include "engines/native/layers/norms.hpp"

#include <utility>

#include "engines/native/layers/batch_norm.hpp"
#include "engines/native/layers/layer_norm.hpp"

namespace sheaf {

template <class Value>
AddedNorm<Value> make_norm(const Layer& layer, LayerValues<Value>& values, ShiftOffset bias,
                           Parameters<Value>& parameters, Scratch<Value>& scratch) {
  if (layer.kind == Layer::Kind::batch_norm) {
    auto norm = std::make_unique<BatchNorm<Value>>(values, parameters);
    const ShiftOffset shift = norm->shift();
    return {std::move(norm), shift};
  }
  auto norm = std::make_unique<LayerNorm<Value>>(values, bias, parameters, scratch);
  const ShiftOffset shift = norm->shift();
  return {std::move(norm), shift};
}

template AddedNorm<float> make_norm(const Layer&, LayerValues<float>&, ShiftOffset, Parameters<float>&,
                                    Scratch<float>&);
template AddedNorm<double> make_norm(const Layer&, LayerValues<double>&, ShiftOffset, Parameters<double>&,
                                     Scratch<double>&);

}  // namespace sheaf
