// SPDX-License-Identifier: MIT
#include "engines/libtorch/torch_training.hpp"

#include <torch/optim/optimizer.h>
#include <torch/serialize/archive.h>
#include <cassert>

#include <sstream>
#include <utility>

#include "core/error.hpp"
#include "engines/libtorch/optimizer.hpp"
#include "engines/libtorch/tensor_values.hpp"
#include "models/target_units.hpp"
#include "training/batches.hpp"
#include "training/losses/reduction.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t validation_batch_size = 1024;  // limits the memory of activations

constexpr std::int64_t ignored_label = -100;  // LibTorch's default; there is no such label

// Adds up the losses of rows in double. On a GPU the sum stays there until value() is called, so that steps do not
// wait.
class LossSum {
 public:
  explicit LossSum(torch::Device device, double initial = 0) : sum_(initial) {
    if (device.is_cuda()) on_gpu_ = torch::full({}, initial, torch::TensorOptions(torch::kFloat64).device(device));
  }

  void add(const torch::Tensor& loss, double factor) {
    if (on_gpu_.defined())
      on_gpu_.add_(loss.detach(), factor);
    else
      sum_ += factor * loss.item<double>();
  }

  double value() const { return on_gpu_.defined() ? on_gpu_.item<double>() : sum_; }

 private:
  double sum_;
  torch::Tensor on_gpu_;
};

torch::Tensor reduced(const torch::Tensor& losses, at::Reduction::Reduction reduction) {
  if (reduction == at::Reduction::None) return losses;
  return reduction == at::Reduction::Mean ? losses.mean() : losses.sum();
}

// huber in other units, which may differ between the outputs: LibTorch's delta is a number.
torch::Tensor huber_loss(double delta, const torch::Tensor& outputs, const torch::Tensor& targets,
                         at::Reduction::Reduction reduction, const torch::Tensor& unit) {
  if (!unit.defined()) return torch::huber_loss(outputs, targets, reduction, delta);
  const torch::Tensor deltas = delta / unit;
  return reduced(torch::huber_loss(outputs / deltas, targets / deltas, at::Reduction::None) * deltas.square(),
                 reduction);
}

// The gradient of an output that equals its target is that of a smaller one.
torch::Tensor pinball_losses(const std::vector<double>& quantiles, const torch::Tensor& outputs,
                             const torch::Tensor& targets) {
  const torch::Tensor of_outputs = torch::tensor(quantiles, torch::kFloat64).to(outputs.options());
  const torch::Tensor errors = targets - outputs;
  return errors * torch::where(errors < 0, of_outputs - 1, of_outputs);
}

torch::Tensor reduced_loss(const TrainOptions& train, const torch::Tensor& outputs, const torch::Tensor& targets,
                           at::Reduction::Reduction reduction, const torch::Tensor& unit) {
  switch (train.loss) {
    case LossKind::mse:
      return torch::mse_loss(outputs, targets, reduction);
    case LossKind::cross_entropy:
      return torch::cross_entropy_loss(outputs, targets, {}, reduction, ignored_label, train.label_smoothing);
    case LossKind::bce:
      return torch::binary_cross_entropy_with_logits(outputs, targets, {}, {}, reduction);
    case LossKind::mae:
      return torch::l1_loss(outputs, targets, reduction);
    case LossKind::huber:
      return huber_loss(train.huber_delta, outputs, targets, reduction, unit);
    case LossKind::poisson: {
      constexpr bool log_input = true, full = false;
      return torch::poisson_nll_loss(outputs, targets, log_input, full, 0, reduction);
    }
    case LossKind::quantile:
      return reduced(pinball_losses(train.quantiles, outputs, targets), reduction);
  }
  assert(false);  // not reached
  return {};
}

TrainOptions without_smoothing(TrainOptions train) {
  train.label_smoothing = 0;
  return train;
}

// See torch.nn.utils.clip_grad_norm_ and clip_grad_value_. On a GPU the norm stays there.
void clip(const TrainOptions& train, torch::Tensor& gradients) {
  if (train.clip_value > 0) gradients.clamp_(-train.clip_value, train.clip_value);
  if (train.clip_norm == 0) return;
  const torch::Tensor norm = torch::linalg_vector_norm(gradients, 2, c10::nullopt, false, torch::kFloat64);
  gradients.mul_((train.clip_norm / (norm + clip_norm_epsilon)).clamp_max(1));
}

}  // namespace

torch::Tensor batch_loss(const TrainOptions& train, const torch::Tensor& outputs, const torch::Tensor& targets,
                         const torch::Tensor& weights, const torch::Tensor& unit) {
  const bool mean = train.reduction == Reduction::mean;
  const auto reduction = mean ? at::Reduction::Mean : at::Reduction::Sum;
  if (!weights.defined()) return reduced_loss(train, outputs, targets, reduction, unit);
  const torch::Tensor losses =
      reduced_loss(train, outputs, targets, at::Reduction::None, unit);  // [rows] or [rows, outputs]
  const torch::Tensor weighted = losses * (losses.dim() == 1 ? weights : weights.unsqueeze(1));
  return reduced(weighted, reduction);
}

TorchTraining::TorchTraining(const TrainingTask& task, std::unique_ptr<Network> network, DataTensors tensors)
    : task_(task),
      train_(task.trial.train),
      batch_size_(batch_rows(train_, task.rows.count())),
      network_(std::move(network)),
      reader_(task.data, std::move(tensors), task.scaling, task.split.target_scaling, train_.loss,
              dtype_of(train_.precision), network_->parameters().device()),
      optimizer_(make_optimizer(train_, network_->parameters())) {
  if (const TargetScaling& targets = task.split.target_scaling; targets.is_active()) {
    exact_target_unit_ = torch::tensor(targets.unit, torch::kFloat64).to(network_->parameters().device());
    target_unit_ = exact_target_unit_.to(dtype_of(train_.precision));
  }
  if (!task.class_weights.empty())
    class_weights_ = torch::tensor(task.class_weights, dtype_of(train_.precision)).to(network_->parameters().device());
  if (train_.average != Average::none) averages_ = network_->parameters().detach().clone();
}

TorchTraining::~TorchTraining() = default;

void TorchTraining::read_from(const DataSet& data) {
  reader_ = BatchReader(data, data_tensors(data, torch::kCPU), task_.scaling, task_.split.target_scaling, train_.loss,
                        dtype_of(train_.precision), network_->parameters().device());
}

torch::Tensor TorchTraining::loss_in_target_units(const torch::Tensor& outputs, const Batch& batch) const {
  const auto in_unit_of_file = [this](const torch::Tensor& values) {
    return values.to(torch::kFloat64) * exact_target_unit_;
  };
  return batch_loss(train_, in_unit_of_file(outputs), in_unit_of_file(batch.targets), batch.weights);
}

torch::Tensor TorchTraining::row_weights(const Batch& batch) const {
  if (!class_weights_.defined()) return batch.weights;
  const bool has_labels = batch.targets.dim() == 1;  // otherwise they are one-hot
  const torch::Tensor of_classes =
      has_labels ? class_weights_.index_select(0, batch.targets) : batch.targets.matmul(class_weights_);
  return batch.weights.defined() ? batch.weights * of_classes : of_classes;
}

void TorchTraining::train(const TrainingRows& rows, const LearningRate& rate, double& loss_sum) {
  torch::Tensor gradients = network_->parameters().grad();
  LossSum sum(gradients.device(), loss_sum);
  std::int64_t step = rows.first_step;
  reader_.read({rows.rows, rows.rows + rows.count}, batch_size_, [&](const Batch& batch) {
    gradients.zero_();
    const torch::Tensor outputs = network_->forward(batch.features, TrainingStep{task_.seed, step});
    const torch::Tensor loss = batch_loss(train_, outputs, batch.targets, row_weights(batch), target_unit_);
    loss.backward();
    if (train_.l1 > 0) add_l1_gradient(gradients);
    clip(train_, gradients);
    optimizer_->param_groups().front().options().set_lr(rate(step));
    optimizer_->step();
    update_averages(step);
    sum.add(target_unit_.defined() ? loss_in_target_units(outputs.detach(), batch) : loss,
            loss_sum_factor(train_, outputs.size(1), outputs.size(0)));
    ++step;
    return true;
  });
  loss_sum = sum.value();
}

void TorchTraining::add_l1_gradient(torch::Tensor& gradients) const {
  const torch::Tensor signs = network_->parameters().sign();
  for (const IndexRange& weights : network_->weights())
    gradients.narrow(0, weights.begin, weights.count())
        .add_(signs.narrow(0, weights.begin, weights.count()), train_.l1);
}

// See torch.optim.swa_utils.AveragedModel with get_ema_avg_fn.
void TorchTraining::update_averages(std::int64_t step) {
  if (!averages_.defined()) return;
  if (step == 0)
    averages_.copy_(network_->parameters());
  else
    averages_.lerp_(network_->parameters(), 1 - train_.average_decay);
}

std::optional<double> TorchTraining::evaluate(const std::int64_t* rows, std::int64_t count, std::vector<float>& outputs,
                                              const std::function<bool()>& should_stop) {
  const torch::NoGradGuard no_grad;
  if (!averages_.defined()) return evaluate_network(rows, count, outputs, should_stop);
  torch::Tensor parameters = network_->parameters();
  const torch::Tensor trained = parameters.clone();
  parameters.copy_(averages_);
  const auto sum = evaluate_network(rows, count, outputs, should_stop);
  parameters.copy_(trained);
  return sum;
}

std::optional<double> TorchTraining::evaluate_network(const std::int64_t* rows, std::int64_t count,
                                                      std::vector<float>& outputs,
                                                      const std::function<bool()>& should_stop) {
  const TrainOptions evaluated = without_smoothing(train_);
  LossSum sum(network_->parameters().device());
  const bool all = reader_.read({rows, rows + count}, validation_batch_size, [&](const Batch& batch) {
    if (should_stop()) return false;
    const torch::Tensor found = network_->forward(batch.features);
    const Batch unweighted{batch.features, batch.targets, {}};
    sum.add(
        target_unit_.defined() ? loss_in_target_units(found, unweighted) : batch_loss(evaluated, found, batch.targets),
        loss_sum_factor(train_, found.size(1), found.size(0)));
    const torch::Tensor plain = found.to(torch::kCPU, torch::kFloat32).contiguous();
    outputs.insert(outputs.end(), plain.data_ptr<float>(), plain.data_ptr<float>() + plain.numel());
    to_target_units(task_.split.target_scaling, plain.size(0), outputs.data() + outputs.size() - plain.numel());
    return true;
  });
  if (!all) return std::nullopt;
  return sum.value();
}

void TorchTraining::save(ByteWriter& state) const {
  put_tensor(network_->parameters(), state);
  for (const auto& buffer : network_->buffers()) put_tensor(buffer, state);
  if (averages_.defined()) put_tensor(averages_, state);
  torch::serialize::OutputArchive archive;
  optimizer_->save(archive);
  std::ostringstream text;
  archive.save_to(text);
  state.put_list(text.str());
}

void TorchTraining::restore(ByteReader& state) {
  get_tensor(state, network_->parameters());
  for (const auto& buffer : network_->buffers()) get_tensor(state, buffer);
  if (averages_.defined()) get_tensor(state, averages_);
  std::istringstream text(state.get_list<std::string>());
  torch::serialize::InputArchive archive;
  archive.load_from(text, network_->parameters().device());
  optimizer_->load(archive);
}

NetworkState TorchTraining::state() const {
  NetworkState state;
  append_numbers(averages_.defined() ? averages_ : network_->parameters(), torch::kFloat32, state.parameters);
  for (const torch::Tensor& buffer : network_->buffers()) append_numbers(buffer, torch::kFloat64, state.buffers);
  return in_target_units(std::move(state), task_.layers, task_.split.target_scaling);
}

}  // namespace sheaf
