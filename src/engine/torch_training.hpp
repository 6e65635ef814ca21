// One network's training and validation in LibTorch.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "engine/batch_reader.hpp"
#include "model/network.hpp"
#include "options/study.hpp"
#include "plan/iteration_record.hpp"

namespace sheaf {

/// The loss of a batch, reduced as `train` says: over rows and outputs (mse, bce with logits) or over rows
/// (cross_entropy).
torch::Tensor batch_loss(const TrainOptions& train, const torch::Tensor& outputs, const torch::Tensor& targets);

/// How a training ended. `loss` is that of the last epoch done.
struct TrainingEnd {
  IterationStatus status = IterationStatus::finished;
  double loss = 0;
  std::int64_t epochs = 0;
  std::int64_t steps = 0;
};

/// Trains on `rows` for all epochs, or until the loss of one is not finite.
TrainingEnd train_network(const Network& network, const BatchReader& reader, const TrainOptions& train,
                          const std::vector<std::int64_t>& rows, std::uint64_t iteration_seed);

struct Validation {
  double loss = 0;
  torch::Tensor outputs;  ///< [rows, outputs], float, on the CPU, in the order of the rows
};

/// Loss and outputs for `rows` in evaluation mode.
Validation validate_network(const Network& network, const BatchReader& reader, const TrainOptions& train,
                            const std::vector<std::int64_t>& rows);

}  // namespace sheaf
