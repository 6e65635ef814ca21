// Trains one model in LibTorch: any network, with autograd and LibTorch's optimizers. This is the reference for the
// native engine.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/bytes.hpp"
#include "engines/libtorch/batch_reader.hpp"
#include "engines/libtorch/network.hpp"
#include "study/train_options.hpp"
#include "training/trainer.hpp"

namespace torch::optim {
class Optimizer;
}

namespace sheaf {

/// The loss of a batch, reduced according to `train` over rows and, unless targets are labels, over outputs. `unit`
/// [outputs]: the units of the targets in which outputs and targets are given; undefined: those of the targets. The
/// losses of rows are multiplied by `weights` [rows]; if undefined, all are 1. A mean is the sum divided by the number
/// of rows, not by the sum of weights. Source: Keras's sample_weight with the reduction sum_over_batch_size.
torch::Tensor batch_loss(const TrainOptions& train, const torch::Tensor& outputs, const torch::Tensor& targets,
                         const torch::Tensor& weights = {}, const torch::Tensor& unit = {});

/// Trains one TrainingTask. Functions with the names of Trainer's functions do the same. Not shared between threads.
class TorchTraining {
 public:
  /// `network` is the network of the task. `tensors` are its data.
  TorchTraining(const TrainingTask& task, std::unique_ptr<Network> network, DataTensors tensors);
  ~TorchTraining();

  void read_from(const DataSet& data);
  void train(const TrainingRows& rows, const LearningRate& rate, double& loss_sum);
  std::optional<double> evaluate(const std::int64_t* rows, std::int64_t count, std::vector<float>& outputs,
                                 const std::function<bool()>& should_stop);
  NetworkState state() const;
  void save(ByteWriter& state) const;
  void restore(ByteReader& state);

  const Network& network() const { return *network_; }

 private:
  /// The weights of the rows in the training loss; undefined: all 1.
  torch::Tensor row_weights(const Batch& batch) const;
  torch::Tensor loss_in_target_units(const torch::Tensor& outputs, const Batch& batch) const;
  void add_l1_gradient(torch::Tensor& gradients) const;
  void update_averages(std::int64_t step);
  /// evaluate() with the current parameters.
  std::optional<double> evaluate_network(const std::int64_t* rows, std::int64_t count, std::vector<float>& outputs,
                                         const std::function<bool()>& should_stop);

  TrainingTask task_;
  TrainOptions train_;
  std::int64_t batch_size_;
  std::unique_ptr<Network> network_;
  BatchReader reader_;
  torch::Tensor target_unit_;        // [outputs]; undefined: targets are not scaled
  torch::Tensor exact_target_unit_;  // same in float64: losses in the unit of the file may exceed float32
  torch::Tensor class_weights_;      // [classes]; undefined: all 1
  torch::Tensor averages_;           // of the parameters; undefined: none
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
};

}  // namespace sheaf
