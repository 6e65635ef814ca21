// SPDX-License-Identifier: MIT
#include "engines/libtorch/torch_training.hpp"

#include <torch/optim/optimizer.h>
#include <torch/serialize/archive.h>

#include <sstream>
#include <utility>

#include "core/error.hpp"
#include "engines/libtorch/optimizer.hpp"
#include "training/batches.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t validation_batch_size = 1024;  // bounds the memory of activations

// Adds up batch losses in double. On a GPU the sum stays there until it is asked for, so that steps need not wait.
class LossSum {
 public:
  LossSum(Reduction reduction, torch::Device device, double begun = 0) : reduction_(reduction), sum_(begun) {
    if (device.is_cuda()) on_gpu_ = torch::full({}, begun, torch::TensorOptions(torch::kFloat64).device(device));
  }

  void add(const torch::Tensor& loss, std::int64_t rows) {
    const double weight = reduction_ == Reduction::mean ? static_cast<double>(rows) : 1.0;
    if (on_gpu_.defined())
      on_gpu_.add_(loss.detach(), weight);
    else
      sum_ += weight * loss.item<double>();
  }

  double value() const { return on_gpu_.defined() ? on_gpu_.item<double>() : sum_; }

 private:
  Reduction reduction_;
  double sum_;
  torch::Tensor on_gpu_;
};

void put_tensor(const torch::Tensor& tensor, ByteWriter& state) {
  const torch::Tensor plain = tensor.detach().to(torch::kCPU).contiguous();
  state.put_array(static_cast<const char*>(plain.data_ptr()), static_cast<std::int64_t>(plain.nbytes()));
}

// Into the tensor's own memory, which others see parts of.
void get_tensor(ByteReader& state, const torch::Tensor& tensor) {
  const torch::NoGradGuard no_grad;
  torch::Tensor plain = torch::empty(tensor.sizes(), torch::TensorOptions(tensor.scalar_type()));
  state.get_array(static_cast<char*>(plain.data_ptr()), static_cast<std::int64_t>(plain.nbytes()));
  torch::Tensor(tensor).copy_(plain);
}

torch::Tensor loss_of(LossKind loss, const torch::Tensor& outputs, const torch::Tensor& targets,
                      at::Reduction::Reduction reduction) {
  switch (loss) {
    case LossKind::mse:
      return torch::mse_loss(outputs, targets, reduction);
    case LossKind::cross_entropy:
      return torch::cross_entropy_loss(outputs, targets, {}, reduction);
    case LossKind::bce:
      return torch::binary_cross_entropy_with_logits(outputs, targets, {}, {}, reduction);
  }
  return {};
}

template <class Number>
void append_numbers(const torch::Tensor& tensor, torch::ScalarType type, std::vector<Number>& to) {
  const torch::Tensor plain = tensor.detach().to(torch::kCPU, type).contiguous();
  to.insert(to.end(), plain.data_ptr<Number>(), plain.data_ptr<Number>() + plain.numel());
}

}  // namespace

torch::Tensor batch_loss(const TrainOptions& train, const torch::Tensor& outputs, const torch::Tensor& targets,
                         const torch::Tensor& weights) {
  const bool mean = train.reduction == Reduction::mean;
  if (!weights.defined()) return loss_of(train.loss, outputs, targets, mean ? at::Reduction::Mean : at::Reduction::Sum);
  const torch::Tensor losses =
      loss_of(train.loss, outputs, targets, at::Reduction::None);  // of rows, or [rows, outputs]
  const torch::Tensor weighted = losses * (losses.dim() == 1 ? weights : weights.unsqueeze(1));
  return mean ? weighted.mean() : weighted.sum();
}

TorchTraining::TorchTraining(const TrainingTask& task, std::unique_ptr<Network> network, DataTensors tensors)
    : task_(task),
      train_(task.trial.train),
      batch_size_(batch_rows(train_, task.rows.count())),
      network_(std::move(network)),
      reader_(task.data, std::move(tensors), task.split.scaling, train_.loss, dtype_of(train_.precision),
              network_->parameters().device()),
      optimizer_(make_optimizer(train_, network_->parameters())) {}

TorchTraining::~TorchTraining() = default;

// The training rows in the order of this epoch.
std::vector<std::int64_t> TorchTraining::epoch_rows() const {
  return epoch_order(task_.rows, train_.shuffle, task_.seed, epochs_);
}

void TorchTraining::read_from(const DataSet& data) {
  reader_ = BatchReader(data, data_tensors(data, torch::kCPU), task_.split.scaling, train_.loss,
                        dtype_of(train_.precision), network_->parameters().device());
}

// Adds the losses of the batches, each times its rows where it is their mean.
void TorchTraining::train_on(const std::vector<std::int64_t>& rows, double& loss_sum) {
  torch::Tensor gradients = network_->parameters().grad();
  LossSum sum(train_.reduction, gradients.device(), loss_sum);
  reader_.read(rows, batch_size_, [&](const Batch& batch) {
    gradients.zero_();
    const torch::Tensor outputs = network_->forward(batch.features, TrainingStep{task_.seed, steps_});
    const torch::Tensor loss = batch_loss(train_, outputs, batch.targets, batch.weights);
    loss.backward();
    optimizer_->step();
    sum.add(loss, batch.features.size(0));
    ++steps_;
    return true;
  });
  loss_sum = sum.value();
}

std::optional<double> TorchTraining::evaluate_batches(const std::vector<std::int64_t>& rows,
                                                      std::vector<float>& outputs,
                                                      const std::function<bool()>& should_stop) {
  const torch::NoGradGuard no_grad;
  LossSum sum(train_.reduction, network_->parameters().device());
  const bool all = reader_.read(rows, validation_batch_size, [&](const Batch& batch) {
    if (should_stop()) return false;
    const torch::Tensor found = network_->forward(batch.features);
    sum.add(batch_loss(train_, found, batch.targets), batch.features.size(0));
    const torch::Tensor plain = found.to(torch::kCPU, torch::kFloat32).contiguous();
    outputs.insert(outputs.end(), plain.data_ptr<float>(), plain.data_ptr<float>() + plain.numel());
    return true;
  });
  if (!all) return std::nullopt;
  return sum.value();
}

double TorchTraining::per_row(double loss_sum, const std::vector<std::int64_t>& rows) const {
  return train_.reduction == Reduction::mean ? loss_sum / static_cast<double>(rows.size()) : loss_sum;
}

void TorchTraining::save(ByteWriter& state) const {
  state.put(epochs_);
  state.put(steps_);
  state.put(place_);
  state.put(loss_sum_);
  put_tensor(network_->parameters(), state);
  for (const auto& buffer : network_->buffers()) put_tensor(buffer, state);
  torch::serialize::OutputArchive archive;
  optimizer_->save(archive);
  std::ostringstream text;
  archive.save_to(text);
  state.put_list(text.str());
}

void TorchTraining::restore(ByteReader& state) {
  epochs_ = state.get<std::int64_t>();
  steps_ = state.get<std::int64_t>();
  place_ = state.get<std::int64_t>();
  loss_sum_ = state.get<double>();
  require(place_ >= 0 && place_ < task_.rows.count() && place_ % batch_size_ == 0 && steps_ >= 0 && epochs_ >= 0,
          "its place in the epoch is not one of this training's");
  if (place_ > 0) order_ = epoch_rows();
  get_tensor(state, network_->parameters());
  for (const auto& buffer : network_->buffers()) get_tensor(state, buffer);
  std::istringstream text(state.get_list<std::string>());
  torch::serialize::InputArchive archive;
  archive.load_from(text, network_->parameters().device());
  optimizer_->load(archive);
}

std::optional<double> TorchTraining::train_batches(std::int64_t most) {
  if (place_ == 0) order_ = epoch_rows();
  const auto count = static_cast<std::int64_t>(order_.size());
  const std::int64_t end = most <= (count - place_) / batch_size_ ? place_ + most * batch_size_ : count;
  train_on({order_.begin() + place_, order_.begin() + end}, loss_sum_);
  place_ = end;
  if (place_ < count) return std::nullopt;
  place_ = 0;
  ++epochs_;
  return per_row(std::exchange(loss_sum_, 0), order_);
}

void TorchTraining::train_rows(const DataSet& data, const std::vector<std::int64_t>& rows, double& loss_sum) {
  read_from(data);
  train_on(rows, loss_sum);
}

std::optional<double> TorchTraining::evaluate(const std::vector<std::int64_t>& rows, std::vector<float>& outputs,
                                              const std::function<bool()>& should_stop) {
  outputs.clear();
  const auto sum = evaluate_batches(rows, outputs, should_stop);
  if (!sum) return std::nullopt;
  return per_row(*sum, rows);
}

std::optional<double> TorchTraining::evaluate_rows(const DataSet& data, const std::vector<std::int64_t>& rows,
                                                   std::vector<float>& outputs,
                                                   const std::function<bool()>& should_stop) {
  read_from(data);
  return evaluate_batches(rows, outputs, should_stop);
}

NetworkState TorchTraining::state() const {
  NetworkState state;
  append_numbers(network_->parameters(), torch::kFloat32, state.parameters);
  for (const torch::Tensor& buffer : network_->buffers()) append_numbers(buffer, torch::kFloat64, state.buffers);
  return state;
}

}  // namespace sheaf
