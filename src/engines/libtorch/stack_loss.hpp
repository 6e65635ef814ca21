// The loss of a stack: its targets, and the losses of rows and outputs with their derivatives, without autograd.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "data/target_scaling.hpp"
#include "engines/libtorch/batch_reader.hpp"
#include "engines/libtorch/stack_batch.hpp"
#include "study/train_options.hpp"
#include "training/stack_shape.hpp"

namespace sheaf {

/// The losses, and the derivatives of the minimized ones, of all outputs: [slots, rows, outputs].
struct StackLossValues {
  torch::Tensor losses, slopes;
};

class StackLoss {
 public:
  /// For rows of `data`. `options`: the device and the type of the outputs.
  StackLoss(const StackShape& shape, std::int64_t slots, const DataSet& data, const torch::TensorOptions& options);

  /// Takes the parameters of the loss and the units of the targets of the model in a slot.
  void set(std::int64_t slot, const TrainOptions& train, const TargetScaling& scaling);

  /// The same for the slots with these numbers, [count] int64.
  StackLoss of_slots(const torch::Tensor& slots) const;

  /// The targets of rows [slots, rows], in the units of the outputs: [slots, rows, outputs], one-hot for classes.
  /// `batch`: of a training step, which may smooth labels; null in evaluations.
  torch::Tensor targets(const DataTensors& data, const torch::Tensor& rows, const StackBatch* batch) const;

  /// In the units of the outputs.
  StackLossValues operator()(const torch::Tensor& outputs, const torch::Tensor& targets) const;

  /// The sum of the losses of rows with `weights` [slots, rows] float64, in the units of the targets: [slots] float64.
  torch::Tensor sum(const torch::Tensor& losses, const torch::Tensor& weights) const;

 private:
  LossKind kind_;
  std::int64_t output_count_;
  torch::ScalarType dtype_;
  torch::Tensor one_hot_;                       // [classes, classes], row k is class k; undefined: no classes
  torch::Tensor quantiles_;                     // [outputs]; undefined for other losses
  torch::Tensor deltas_;                        // [slots, 1, outputs]: huber_delta in the units of the outputs
  torch::Tensor unit_factors_;                  // [slots, 1, outputs] float64: unit_factor()
  torch::Tensor target_shifts_, target_units_;  // [slots, 1, outputs] float64, TargetScaling; undefined: no regression
};

}  // namespace sheaf
