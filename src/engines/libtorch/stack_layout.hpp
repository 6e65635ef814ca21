// Where the values of a model are in its slot of a stack.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/index_range.hpp"
#include "models/layer.hpp"
#include "training/stack_limits.hpp"

namespace sheaf {

/// The values of all slots are tensors [slots, stride]. In a slot, every matrix and list of a layer begins at a
/// multiple of `alignment` values, and the rest is zero: so all slots have the same alignment, and the results of a
/// slot do not depend on its number.
class StackLayout {
 public:
  static constexpr std::int64_t alignment = stack_alignment;

  explicit StackLayout(const std::vector<Layer>& layers);

  std::int64_t parameter_stride() const { return parameter_stride_; }
  std::int64_t buffer_stride() const { return buffer_stride_; }  ///< 0: there are no batch norms

  /// Views of `parameters`, or of other tensors with a value for each, as [slots, sizes of the weights], for norms
  /// [slots, 1, outputs]; and [slots, 1, biases]. Undefined if the layer has none.
  torch::Tensor weight(const torch::Tensor& parameters, std::size_t layer) const;
  torch::Tensor bias(const torch::Tensor& parameters, std::size_t layer) const;

  /// Views of `buffers`, [slots, 1, outputs], of a batch norm.
  torch::Tensor running_mean(const torch::Tensor& buffers, std::size_t layer) const;
  torch::Tensor running_variance(const torch::Tensor& buffers, std::size_t layer) const;

  /// The values of one slot, [stride] float32, for the flat list of initial_weights().
  torch::Tensor slot_parameters(const std::vector<float>& list) const;
  /// The buffers of a training that begins, [stride] float32.
  torch::Tensor initial_buffers() const;

  /// The flat lists of the values of one slot, [stride], as in NetworkState.
  std::vector<float> parameter_list(const torch::Tensor& parameters) const;
  std::vector<double> buffer_list(const torch::Tensor& buffers) const;

 private:
  struct Places {
    Layer layer;
    IndexRange weight, bias, mean, variance;
  };
  const Places& at(std::size_t layer) const { return places_[layer]; }

  std::vector<Places> places_;
  std::int64_t parameter_stride_ = 0, buffer_stride_ = 0;
};

}  // namespace sheaf
