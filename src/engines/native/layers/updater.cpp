// SPDX-License-Identifier: MIT
#include "engines/native/layers/updater.hpp"

#include <cmath>

namespace sheaf {

template <class Value>
Updater<Value>::Updater(const TrainOptions& train)
    : has_betas_(optimizer_of(train.optimizer).has("beta1")),
      log_beta1_(std::log(train.beta1)),
      log_beta2_(std::log(train.beta2)),
      update_(update_kernel<Value>(train)) {
  const bool decoupled = optimizer_of(train.optimizer).weight_decay == WeightDecay::decoupled;
  const double decay = train.weight_decay.value_or(0);
  decoupled_decay_ = decoupled ? decay : 0;
  rule_.weight_decay = static_cast<Value>(decoupled ? 0 : decay);
  rule_.momentum = static_cast<Value>(train.momentum);
  rule_.beta1 = train.beta1;
  rule_.beta2 = train.beta2;
  rule_.alpha = train.alpha;
  rule_.epsilon = static_cast<Value>(train.epsilon);
  if (train.optimizer == OptimizerKind::nadam) nadam_.emplace(train.beta1);
}

template <class Value>
void Updater<Value>::begin_step(std::int64_t step, double learning_rate) {
  rule_.rate = static_cast<Value>(learning_rate);
  rule_.shrink = static_cast<Value>(1 - learning_rate * decoupled_decay_);
  if (!has_betas_) return;
  // 1 - beta^t is -expm1(t ln beta), which costs half as much.
  const auto done = static_cast<double>(step + 1);
  rule_.corrected_rate = static_cast<Value>(learning_rate / -std::expm1(log_beta1_ * done));
  rule_.root_scale = static_cast<Value>(1 / std::sqrt(-std::expm1(log_beta2_ * done)));
  if (!nadam_) return;
  const auto [gradient, mean] = nadam_->weights(step);
  rule_.gradient_rate = static_cast<Value>(learning_rate * gradient);
  rule_.corrected_rate = static_cast<Value>(learning_rate * mean);
}

template class Updater<float>;
template class Updater<double>;

}  // namespace sheaf
