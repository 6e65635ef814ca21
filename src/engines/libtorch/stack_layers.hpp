// The layers of a stack: their values for all slots at the same time, and the gradients, without autograd.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

#include <memory>
#include <vector>

#include "engines/libtorch/stack_batch.hpp"
#include "engines/libtorch/stack_encoding.hpp"
#include "engines/libtorch/stack_layout.hpp"
#include "models/layer.hpp"
#include "study/activations.hpp"

namespace sheaf {

/// One operation on the values of all slots. Keeps what its backward pass needs.
class StackLayer {
 public:
  virtual ~StackLayer() = default;

  /// Returns its outputs for `values`, both [slots, rows, features]. `batch`: that of a training step; null in
  /// evaluations.
  virtual torch::Tensor forward(const torch::Tensor& values, const StackBatch* batch) = 0;

  /// After forward() with a batch: sets the gradients of its parameters, and returns those of `values`; undefined if
  /// nothing before it is trained. `gradient` [slots, rows, features], of its outputs, is 0 in padding.
  virtual torch::Tensor backward(const torch::Tensor& gradient, const StackBatch& batch) = 0;
};

/// The tensors of the slots that the layers read and write, [slots, stride] (StackLayout).
struct StackValues {
  torch::Tensor parameters;
  torch::Tensor gradients;  ///< undefined: there are no training steps
  torch::Tensor buffers;    ///< undefined without batch norms
};

/// The layers of networks without convolutions, shortcuts and pooling. `encoding`: if the first layer is one.
std::vector<std::unique_ptr<StackLayer>> stack_layers(const std::vector<Layer>& layers, Activation activation,
                                                      const StackLayout& layout, const StackValues& values,
                                                      const StackEncodingTensors& encoding);

}  // namespace sheaf
