// The table of optimizers: names, and properties that several modules use. The engines have the update rules. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

#include "study/kind_table.hpp"

namespace sheaf {

enum class OptimizerKind { sgd, adam, adamw, rmsprop, nadam };

/// How train.weight_decay acts. l2: its product with the parameter is added to the gradient; decoupled: the parameter
/// is multiplied by 1 - learning rate * weight decay before the step.
enum class WeightDecay { l2, decoupled };

struct Optimizer {
  OptimizerKind kind;
  std::string_view name;
  double learning_rate;  ///< the default
  int state_count;       ///< values that it keeps for each parameter, besides one for momentum
  WeightDecay weight_decay;
  std::array<std::string_view, 4> keys;  ///< the keys of [train] that only some optimizers have: those of this one

  /// Whether it has a key of [train].
  constexpr bool has(std::string_view key) const {
    for (const std::string_view own : keys)
      if (own == key) return true;
    return false;
  }
};

/// In the order of OptimizerKind. Default learning rates as in Keras, for nadam as in PyTorch.
inline constexpr std::array optimizer_table = {
    Optimizer{OptimizerKind::sgd, "sgd", 0.01, 0, WeightDecay::l2, {"momentum", "nesterov"}},
    Optimizer{OptimizerKind::adam, "adam", 0.001, 2, WeightDecay::l2, {"beta1", "beta2", "epsilon"}},
    Optimizer{OptimizerKind::adamw, "adamw", 0.001, 2, WeightDecay::decoupled, {"beta1", "beta2", "epsilon"}},
    Optimizer{OptimizerKind::rmsprop, "rmsprop", 0.001, 1, WeightDecay::l2, {"momentum", "alpha", "epsilon"}},
    Optimizer{OptimizerKind::nadam, "nadam", 0.002, 2, WeightDecay::l2, {"beta1", "beta2", "epsilon"}},
};
static_assert(is_in_order(optimizer_table));

constexpr const Optimizer& optimizer_of(OptimizerKind kind) {
  return row_of(optimizer_table, kind);
}

/// The number of values that an optimizer keeps for each parameter, with or without momentum.
constexpr int state_count_of(OptimizerKind kind, bool with_momentum) {
  const Optimizer& optimizer = optimizer_of(kind);
  return optimizer.state_count + (with_momentum && optimizer.has("momentum") ? 1 : 0);
}

}  // namespace sheaf
