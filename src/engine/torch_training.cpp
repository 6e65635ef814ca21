// SPDX-License-Identifier: MIT
#include "engine/torch_training.hpp"

#include <algorithm>
#include <cmath>

#include "engine/optimizer.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t validation_batch_size = 1024;  // bounds the memory of activations

// Adds up batch losses in double. On a GPU the sum stays there until it is asked for, so that steps need not wait.
class LossSum {
 public:
  LossSum(Reduction reduction, torch::Device device) : reduction_(reduction) {
    if (device.is_cuda()) on_gpu_ = torch::zeros({}, torch::TensorOptions(torch::kFloat64).device(device));
  }

  void add(const torch::Tensor& loss, std::int64_t rows) {
    const double weight = reduction_ == Reduction::mean ? static_cast<double>(rows) : 1.0;
    rows_ += rows;
    if (on_gpu_.defined())
      on_gpu_.add_(loss.detach(), weight);
    else
      sum_ += weight * loss.item<double>();
  }

  // The mean over rows, or the sum.
  double value() const {
    const double sum = on_gpu_.defined() ? on_gpu_.item<double>() : sum_;
    return reduction_ == Reduction::mean ? sum / static_cast<double>(rows_) : sum;
  }

 private:
  Reduction reduction_;
  double sum_ = 0;
  torch::Tensor on_gpu_;
  std::int64_t rows_ = 0;
};

// The training rows in the order of one epoch.
std::vector<std::int64_t> epoch_rows(const std::vector<std::int64_t>& rows, const TrainOptions& train,
                                     std::uint64_t iteration_seed, std::int64_t epoch) {
  auto order = batch_order(static_cast<std::int64_t>(rows.size()), train.shuffle, iteration_seed, epoch);
  for (auto& position : order) position = rows[static_cast<std::size_t>(position)];
  return order;
}

}  // namespace

torch::Tensor batch_loss(const TrainOptions& train, const torch::Tensor& outputs, const torch::Tensor& targets) {
  const auto reduction = train.reduction == Reduction::mean ? at::Reduction::Mean : at::Reduction::Sum;
  switch (train.loss) {
    case LossKind::mse:
      return torch::mse_loss(outputs, targets, reduction);
    case LossKind::cross_entropy:
      return torch::cross_entropy_loss(outputs, targets, {}, reduction);
    case LossKind::bce:
      return torch::binary_cross_entropy_with_logits(outputs, targets, {}, {}, reduction);
  }
  return {};
}

TrainingEnd train_network(const Network& network, const BatchReader& reader, const TrainOptions& train,
                          const std::vector<std::int64_t>& rows, std::uint64_t iteration_seed) {
  const auto count = static_cast<std::int64_t>(rows.size());
  const std::int64_t batch_size = train.batch_size == 0 ? count : std::min(train.batch_size, count);
  const auto optimizer = make_optimizer(train, network.parameters());
  torch::Tensor gradients = network.parameters().grad();
  TrainingEnd end;
  while (end.epochs < train.epochs && end.status == IterationStatus::finished) {
    LossSum sum(train.reduction, gradients.device());
    reader.read(epoch_rows(rows, train, iteration_seed, end.epochs), batch_size, [&](const Batch& batch) {
      gradients.zero_();
      const torch::Tensor outputs = network.forward(batch.features, TrainingStep{iteration_seed, end.steps});
      const torch::Tensor loss = batch_loss(train, outputs, batch.targets);
      loss.backward();
      optimizer->step();
      sum.add(loss, batch.features.size(0));
      ++end.steps;
    });
    ++end.epochs;
    end.loss = sum.value();
    if (!std::isfinite(end.loss)) end.status = IterationStatus::diverged;
  }
  return end;
}

Validation validate_network(const Network& network, const BatchReader& reader, const TrainOptions& train,
                            const std::vector<std::int64_t>& rows) {
  const torch::NoGradGuard no_grad;
  LossSum sum(train.reduction, network.parameters().device());
  std::vector<torch::Tensor> outputs;
  reader.read(rows, validation_batch_size, [&](const Batch& batch) {
    outputs.push_back(network.forward(batch.features));
    sum.add(batch_loss(train, outputs.back(), batch.targets), batch.features.size(0));
  });
  return {sum.value(), torch::cat(outputs).to(torch::kCPU, torch::kFloat32)};
}

}  // namespace sheaf
