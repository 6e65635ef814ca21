// SPDX-License-Identifier: MIT
#include "study/key_defaults.hpp"

namespace sheaf {

double initial_learning_rate(const TrainOptions& train) {
  return train.learning_rate.value_or(train.optimizer == OptimizerKind::sgd ? 0.01 : 0.001);
}

std::vector<std::int64_t> hidden_widths(const ModelOptions& model) {
  if (model.hidden) return *model.hidden;
  return model.kind == ModelKind::mlp ? std::vector<std::int64_t>{128} : std::vector<std::int64_t>{};
}

}  // namespace sheaf
