// SPDX-License-Identifier: MIT
#include "engines/libtorch/optimizer.hpp"

#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include "study/key_defaults.hpp"

namespace sheaf {
namespace {

// The options that Adam and AdamW share.
template <class Options>
Options adam_options(const TrainOptions& train) {
  return Options(initial_learning_rate(train))
      .betas({train.beta1, train.beta2})
      .eps(train.epsilon)
      .weight_decay(train.weight_decay);
}

}  // namespace

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const TrainOptions& train, const torch::Tensor& parameters) {
  using namespace torch::optim;
  const std::vector<torch::Tensor> all = {parameters};
  switch (train.optimizer) {
    case OptimizerKind::sgd:
      return std::make_unique<SGD>(all, SGDOptions(initial_learning_rate(train))
                                            .momentum(train.momentum)
                                            .nesterov(train.nesterov)
                                            .weight_decay(train.weight_decay));
    case OptimizerKind::adam:
      return std::make_unique<Adam>(all, adam_options<AdamOptions>(train));
    case OptimizerKind::adamw:
      return std::make_unique<AdamW>(all, adam_options<AdamWOptions>(train));
    case OptimizerKind::rmsprop:
      return std::make_unique<RMSprop>(all, RMSpropOptions(initial_learning_rate(train))
                                                .alpha(train.alpha)
                                                .eps(train.epsilon)
                                                .momentum(train.momentum)
                                                .weight_decay(train.weight_decay));
  }
  return nullptr;
}

}  // namespace sheaf
