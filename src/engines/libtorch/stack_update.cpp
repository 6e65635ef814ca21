// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_update.hpp"

#include <array>

#include "study/kind_table.hpp"

namespace sheaf {
namespace {

using torch::Tensor;

void sgd_step(const StackBatch& batch, StackState& state) {
  state.first.mul_(batch.number(StackNumber::momentum)).add_(state.gradients);
  Tensor direction = state.first * batch.number(StackNumber::velocity_weight);
  direction.addcmul_(state.gradients, batch.number(StackNumber::gradient_weight));
  state.parameters.sub_(direction.mul_(batch.number(StackNumber::rate)));
}

// Updates the running mean of the gradients and that of their squares. Returns the denominator.
Tensor updated_moments(const StackBatch& batch, StackState& state) {
  const Tensor& gradients = state.gradients;
  state.first.mul_(batch.number(StackNumber::beta1)).addcmul_(gradients, batch.number(StackNumber::beta1_rest));
  const Tensor squares = gradients.square().mul_(batch.number(StackNumber::beta2_rest));
  state.second.mul_(batch.number(StackNumber::beta2)).add_(squares);
  const Tensor root = state.second.sqrt().mul_(batch.number(StackNumber::root_scale));
  return root.add_(batch.number(StackNumber::epsilon));
}

void adam_step(const StackBatch& batch, StackState& state) {
  const Tensor root = updated_moments(batch, state);
  const Tensor step = (state.first / root).mul_(batch.number(StackNumber::corrected_rate));
  state.parameters.mul_(batch.number(StackNumber::shrink)).sub_(step);
}

void nadam_step(const StackBatch& batch, StackState& state) {
  const Tensor root = updated_moments(batch, state);
  Tensor step = state.first * batch.number(StackNumber::corrected_rate);
  step.addcmul_(state.gradients, batch.number(StackNumber::gradient_rate));
  state.parameters.sub_(step.div_(root));
}

void rmsprop_step(const StackBatch& batch, StackState& state) {
  const Tensor squares = state.gradients.square().mul_(batch.number(StackNumber::alpha_rest));
  state.second.mul_(batch.number(StackNumber::alpha)).add_(squares);
  const Tensor root = state.second.sqrt().add_(batch.number(StackNumber::epsilon));
  state.first.mul_(batch.number(StackNumber::momentum)).add_(state.gradients / root);
  state.parameters.sub_(state.first * batch.number(StackNumber::rate));
}

struct StackOptimizerRow {
  OptimizerKind kind;
  bool has_second_moment;
  void (*step)(const StackBatch& batch, StackState& state);
};

// In the order of OptimizerKind. The formulas are those of the native engine. A slot without momentum has a velocity,
// too, with a momentum of 0.
constexpr std::array stack_optimizers = {
    StackOptimizerRow{OptimizerKind::sgd, false, sgd_step},
    StackOptimizerRow{OptimizerKind::adam, true, adam_step},
    StackOptimizerRow{OptimizerKind::adamw, true, adam_step},
    StackOptimizerRow{OptimizerKind::rmsprop, true, rmsprop_step},
    StackOptimizerRow{OptimizerKind::nadam, true, nadam_step},
};
static_assert(is_in_order(stack_optimizers) && stack_optimizers.size() == optimizer_table.size());

}  // namespace

bool has_second_moment(OptimizerKind kind) {
  return row_of(stack_optimizers, kind).has_second_moment;
}

// See torch.nn.utils.clip_grad_norm_ and clip_grad_value_.
void limit_gradients(const StackShape& shape, const StackBatch& batch, StackState& state) {
  Tensor& gradients = state.gradients;
  if (shape.has_l1) gradients.addcmul_(state.parameters.sign(), batch.number(StackNumber::l1) * state.is_weight);
  if (shape.clips_values) {
    const Tensor limit = batch.number(StackNumber::clip_value);
    gradients.clamp_(-limit, limit);
  }
  if (shape.clips_norm) {
    const Tensor norm = torch::linalg_vector_norm(gradients, 2, at::IntArrayRef{1}, true, torch::kFloat64);
    const Tensor factor = batch.number(StackNumber::clip_norm) / (norm + clip_norm_epsilon);
    gradients.mul_(factor.clamp_max(1).to(gradients.scalar_type()));
  }
  gradients.masked_fill_(batch.number(StackNumber::row_count).eq(0), 0);
}

void update_parameters(const StackShape& shape, const StackBatch& batch, StackState& state) {
  state.gradients.addcmul_(state.parameters, batch.number(StackNumber::weight_decay));
  row_of(stack_optimizers, shape.optimizer).step(batch, state);
  if (state.averages.defined()) state.averages.lerp_(state.parameters, batch.number(StackNumber::average_share));
}

}  // namespace sheaf
