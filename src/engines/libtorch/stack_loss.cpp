// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_loss.hpp"

#include <array>
#include <cstddef>
#include <vector>

#include "engines/libtorch/tensor_values.hpp"
#include "study/kind_table.hpp"
#include "training/losses/reduction.hpp"

namespace sheaf {
namespace {

using torch::Tensor;

// Outputs and targets, and the parameters of the losses that have some.
struct LossInputs {
  const Tensor& outputs;
  const Tensor& targets;
  const Tensor& deltas;
  const Tensor& quantiles;
};

StackLossValues squared_errors(const LossInputs& of) {
  const Tensor errors = of.outputs - of.targets;
  return {errors.square(), errors + errors};
}

StackLossValues cross_entropies(const LossInputs& of) {
  const Tensor logarithms = torch::log_softmax(of.outputs, 2);
  return {(logarithms * of.targets).neg_(), logarithms.exp() - of.targets};
}

// Of a logit z: max(z, 0) - z y + ln(1 + exp(-|z|)).
StackLossValues logit_cross_entropies(const LossInputs& of) {
  const Tensor& logits = of.outputs;
  return {(logits.clamp_min(0) - logits * of.targets).add_(logits.abs().neg_().exp_().log1p_()),
          torch::sigmoid(logits) - of.targets};
}

StackLossValues absolute_errors(const LossInputs& of) {
  const Tensor errors = of.outputs - of.targets;
  return {errors.abs(), errors.sign()};
}

// r^2 / 2 up to |r| = delta, then the tangent.
StackLossValues huber_errors(const LossInputs& of) {
  const Tensor errors = of.outputs - of.targets, sizes = errors.abs();
  const Tensor smaller = torch::minimum(sizes, of.deltas);
  return {smaller * (sizes - 0.5 * smaller), torch::maximum(torch::minimum(errors, of.deltas), -of.deltas)};
}

StackLossValues poisson_likelihoods(const LossInputs& of) {
  const Tensor means = of.outputs.exp();
  return {means - of.outputs * of.targets, means - of.targets};
}

// The gradient of an output that equals its target is that of a smaller one.
StackLossValues pinball_errors(const LossInputs& of) {
  const Tensor errors = of.targets - of.outputs;
  const Tensor slopes = errors.lt(0).to(errors.scalar_type()) - of.quantiles;
  return {(errors * slopes).neg_(), slopes};
}

struct StackLossRow {
  LossKind kind;
  StackLossValues (*values)(const LossInputs& of);
};

// In the order of LossKind.
constexpr std::array stack_losses = {
    StackLossRow{LossKind::mse, squared_errors},        StackLossRow{LossKind::cross_entropy, cross_entropies},
    StackLossRow{LossKind::bce, logit_cross_entropies}, StackLossRow{LossKind::mae, absolute_errors},
    StackLossRow{LossKind::huber, huber_errors},        StackLossRow{LossKind::poisson, poisson_likelihoods},
    StackLossRow{LossKind::quantile, pinball_errors},
};
static_assert(is_in_order(stack_losses) && stack_losses.size() == loss_table.size());

}  // namespace

StackLoss::StackLoss(const StackShape& shape, std::int64_t slots, const DataSet& data,
                     const torch::TensorOptions& options)
    : kind_(shape.loss), output_count_(data.output_count), dtype_(c10::typeMetaToScalarType(options.dtype())) {
  const auto of_outputs = [&](torch::ScalarType type) {
    return torch::ones({slots, 1, output_count_}, options.dtype(type));
  };
  if (data.task == Task::classification) one_hot_ = torch::eye(output_count_, options);
  if (!shape.quantiles.empty()) quantiles_ = torch::tensor(shape.quantiles, torch::kFloat64).to(options);
  deltas_ = of_outputs(dtype_);
  unit_factors_ = of_outputs(torch::kFloat64);
  if (data.task != Task::regression) return;
  target_units_ = of_outputs(torch::kFloat64);
  target_shifts_ = torch::zeros_like(target_units_);
}

void StackLoss::set(std::int64_t slot, const TrainOptions& train, const TargetScaling& scaling) {
  std::vector<double> units = scaling.unit, deltas, factors;
  if (!scaling.is_active()) units.assign(static_cast<std::size_t>(output_count_), 1);
  for (const double unit : units) {
    deltas.push_back(in_unit(loss_function(train), unit).delta);
    factors.push_back(unit_factor(kind_, unit));
  }
  const auto put = [&](Tensor& all, const std::vector<double>& values) {
    all[slot][0].copy_(view_of(values.data(), {output_count_}, torch::kFloat64));
  };
  put(deltas_, deltas);
  put(unit_factors_, factors);
  if (!target_units_.defined()) return;
  put(target_units_, units);
  target_shifts_[slot].zero_();
  if (scaling.is_active())
    target_shifts_[slot][0].copy_(view_of(scaling.shift.data(), {output_count_}, torch::kFloat32));
}

StackLoss StackLoss::of_slots(const Tensor& slots) const {
  StackLoss some = *this;
  for (Tensor* tensor : {&some.deltas_, &some.unit_factors_, &some.target_shifts_, &some.target_units_})
    *tensor = sheaf::of_slots(*tensor, slots);
  return some;
}

Tensor StackLoss::targets(const DataTensors& data, const Tensor& rows, const StackBatch* batch) const {
  const Tensor gathered = data.targets.index({rows});
  if (target_units_.defined()) return gathered.to(torch::kFloat64).sub_(target_shifts_).div_(target_units_).to(dtype_);
  if (!one_hot_.defined()) return gathered.to(dtype_);
  const Tensor classes = one_hot_.index({gathered});
  if (batch == nullptr || kind_ != LossKind::cross_entropy) return classes;
  const Tensor smoothing = batch->row_number(StackNumber::smoothing);
  return classes * (1 - smoothing) + smoothing / static_cast<double>(output_count_);
}

StackLossValues StackLoss::operator()(const Tensor& outputs, const Tensor& targets) const {
  return row_of(stack_losses, kind_).values({outputs, targets, deltas_, quantiles_});
}

Tensor StackLoss::sum(const Tensor& losses, const Tensor& weights) const {
  const Tensor of_rows = (losses * unit_factors_).sum(2);  // float64
  return (of_rows * weights).sum(1) / terms_per_row(kind_, output_count_);
}

}  // namespace sheaf
