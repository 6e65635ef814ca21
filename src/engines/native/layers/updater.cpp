// SPDX-License-Identifier: MIT
#include "engines/native/layers/updater.hpp"

#include <cmath>

namespace sheaf {
namespace {

template <class Value>
typename UpdateKernels<Value>::Update update_of(const TrainOptions& train) {
  const UpdateKernels<Value> kernels = update_kernels<Value>();
  switch (train.optimizer) {
    case OptimizerKind::sgd:
      if (train.momentum == 0) return kernels.sgd;
      return train.nesterov ? kernels.sgd_nesterov : kernels.sgd_momentum;
    case OptimizerKind::adam:
    case OptimizerKind::adamw:
      return kernels.adam;
    case OptimizerKind::rmsprop:
      return train.momentum == 0 ? kernels.rmsprop : kernels.rmsprop_momentum;
  }
  return nullptr;
}

bool is_adam(OptimizerKind kind) {
  return kind == OptimizerKind::adam || kind == OptimizerKind::adamw;
}

}  // namespace

template <class Value>
Updater<Value>::Updater(const TrainOptions& train)
    : train_(train),
      log_beta1_(std::log(train.beta1)),
      log_beta2_(std::log(train.beta2)),
      update_(update_of<Value>(train)) {
  rule_.weight_decay = static_cast<Value>(train.optimizer == OptimizerKind::adamw ? 0 : train.weight_decay);
  rule_.shrink = 1;
  rule_.momentum = static_cast<Value>(train.momentum);
  rule_.first_decay = train.beta1;
  rule_.second_decay = is_adam(train.optimizer) ? train.beta2 : train.alpha;
  rule_.epsilon = static_cast<Value>(train.epsilon);
}

template <class Value>
void Updater<Value>::begin_step(std::int64_t step, double learning_rate) {
  rule_.rate = static_cast<Value>(learning_rate);
  if (!is_adam(train_.optimizer)) return;
  // 1 - beta^t is -expm1(t ln beta), which costs half as much.
  const auto done = static_cast<double>(step + 1);
  rule_.rate = static_cast<Value>(learning_rate / -std::expm1(log_beta1_ * done));
  rule_.root_scale = static_cast<Value>(1 / std::sqrt(-std::expm1(log_beta2_ * done)));
  if (train_.optimizer == OptimizerKind::adamw)
    rule_.shrink = static_cast<Value>(1 - learning_rate * train_.weight_decay);
}

template class Updater<float>;
template class Updater<double>;

}  // namespace sheaf
