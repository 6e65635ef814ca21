// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "engines/native/layers/layer_values.hpp"
#include "engines/native/layers/native_layer.hpp"
#include "engines/native/layers/scratch.hpp"
#include "models/layer.hpp"

namespace sheaf {

/// A norm, and its shift, which the next layer adds.
template <class Value>
struct AddedNorm {
  std::unique_ptr<TrainedLayer<Value>> layer;
  ShiftOffset shift;
};

/// The object of a layer that is a norm. `values`: those that it normalizes, in place. `bias`: that of the layer
/// before; none before a batch norm.
template <class Value>
AddedNorm<Value> make_norm(const Layer& layer, LayerValues<Value>& values, ShiftOffset bias,
                           Parameters<Value>& parameters, Scratch<Value>& scratch);

}  // namespace sheaf
