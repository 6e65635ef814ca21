// SPDX-License-Identifier: MIT
#include "engines/libtorch/update_kernel.hpp"

#include <array>
#include <stdexcept>

#include "study/kind_table.hpp"

namespace sheaf {
namespace {

struct NumberPlace {
  int place;
  StackNumber number;
};

constexpr bool are_at_their_places() {
  for (const NumberPlace& one : std::array{
           NumberPlace{update_rate, StackNumber::rate},
           NumberPlace{update_corrected_rate, StackNumber::corrected_rate},
           NumberPlace{update_gradient_rate, StackNumber::gradient_rate},
           NumberPlace{update_root_scale, StackNumber::root_scale},
           NumberPlace{update_weight_decay, StackNumber::weight_decay},
           NumberPlace{update_shrink, StackNumber::shrink},
           NumberPlace{update_momentum, StackNumber::momentum},
           NumberPlace{update_velocity_weight, StackNumber::velocity_weight},
           NumberPlace{update_gradient_weight, StackNumber::gradient_weight},
           NumberPlace{update_beta1, StackNumber::beta1},
           NumberPlace{update_beta1_rest, StackNumber::beta1_rest},
           NumberPlace{update_beta2, StackNumber::beta2},
           NumberPlace{update_beta2_rest, StackNumber::beta2_rest},
           NumberPlace{update_alpha, StackNumber::alpha},
           NumberPlace{update_alpha_rest, StackNumber::alpha_rest},
           NumberPlace{update_epsilon, StackNumber::epsilon},
           NumberPlace{update_average_share, StackNumber::average_share},
           NumberPlace{update_number_count, StackNumber::count},
       })
    if (one.place != static_cast<int>(one.number)) return false;
  return true;
}
static_assert(are_at_their_places());

struct UpdateRuleRow {
  OptimizerKind kind;
  int rule;
};

// In the order of OptimizerKind.
constexpr std::array update_rules = {
    UpdateRuleRow{OptimizerKind::sgd, update_by_sgd},     UpdateRuleRow{OptimizerKind::adam, update_by_adam},
    UpdateRuleRow{OptimizerKind::adamw, update_by_adam},  UpdateRuleRow{OptimizerKind::rmsprop, update_by_rmsprop},
    UpdateRuleRow{OptimizerKind::nadam, update_by_nadam},
};
static_assert(is_in_order(update_rules) && update_rules.size() == optimizer_table.size());

void* data_of(const torch::Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  if (!tensor.is_contiguous()) throw std::logic_error("a kernel needs tensors without gaps");
  return tensor.data_ptr();
}

}  // namespace

FusedUpdate fused_update(const StackShape& shape, const StackBatch& batch, StackState& state, int fused) {
  FusedUpdate update;
  update.is_double = state.parameters.scalar_type() == torch::kFloat64;
  update.slots = state.parameters.size(0);
  update.stride = state.parameters.size(1);
  update.parameters = data_of(state.parameters);
  update.gradients = data_of(state.gradients);
  update.first = data_of(state.first);
  update.second = data_of(state.second);
  update.averages = data_of(state.averages);
  update.numbers = data_of(batch.numbers);
  update.optimizer = row_of(update_rules, shape.optimizer).rule;
  update.fused = fused;
  return update;
}

}  // namespace sheaf
