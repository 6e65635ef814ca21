// The part of a stack that runs on its device: one optimizer step of all slots, and evaluations. It never reads a value
// on the host, and its sizes do not depend on values, so that a CUDA graph can record it.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/bytes.hpp"
#include "engines/libtorch/batch_reader.hpp"
#include "engines/libtorch/stack_batch.hpp"
#include "engines/libtorch/stack_layers.hpp"
#include "engines/libtorch/stack_layout.hpp"
#include "engines/libtorch/stack_loss.hpp"
#include "engines/libtorch/stack_update.hpp"
#include "engines/libtorch/update_choice.hpp"
#include "models/network_state.hpp"
#include "training/stack_shape.hpp"
#include "training/trainer.hpp"

namespace sheaf {

/// The networks of all slots with their optimizers. Call all functions, and the constructor, in c10::InferenceMode. Not
/// shared between threads.
class StackStep {
 public:
  /// `data` and `tensors`: the rows; the tensors determine the device.
  StackStep(const StackShape& shape, std::int64_t slots, const DataSet& data, const DataTensors& tensors);

  /// Begins a training in a slot. Nothing of its last one remains, such as NaN.
  void start(std::int64_t slot, const TrainingTask& task);

  /// One optimizer step. Adds the sums of the losses of rows to `loss_sums`, [slots] float64.
  void train(const StackBatch& batch, torch::Tensor& loss_sums);

  struct Evaluated {
    torch::Tensor outputs;    ///< [places, rows, outputs], in the units in which the slot is trained
    torch::Tensor loss_sums;  ///< [places] float64, of the losses of the first rows
  };
  /// Evaluates `rows` [places, rows], numbers of rows of the data set, with the slots [places] of these numbers; the
  /// losses of the first `counts` [places, 1] rows count. All are int64. With averages, if there are some.
  Evaluated evaluate(const torch::Tensor& slots, const torch::Tensor& rows, const torch::Tensor& counts) const;

  /// The network of a slot, in the units in which it is trained.
  NetworkState network(std::int64_t slot) const;

  /// See Trainer::save() and Trainer::restore().
  void save(std::int64_t slot, ByteWriter& state) const;
  void restore(std::int64_t slot, ByteReader& state);

 private:
  std::vector<torch::Tensor> saved(std::int64_t slot) const;
  torch::Tensor evaluated_parameters() const;
  torch::Tensor features_of(const torch::Tensor& rows, const ScalingTensors& scaling) const;

  StackShape shape_;
  DataTensors tensors_;
  torch::TensorOptions options_;  // of the values of the networks
  StackLayout layout_;
  StackState state_;
  ScalingTensors scaling_;
  StackEncodingTensors encoding_;
  StackLoss loss_;
  StackUpdate update_;
  std::vector<std::unique_ptr<StackLayer>> layers_;
};

}  // namespace sheaf
