// SPDX-License-Identifier: MIT
#include "engines/libtorch/optimizer.hpp"

#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>
#include <torch/serialize/archive.h>

#include <cmath>

#include "study/key_defaults.hpp"
#include "training/nadam_momentum.hpp"

namespace sheaf {
namespace {

// The options that Adam and AdamW share.
template <class Options>
Options adam_options(const TrainOptions& train) {
  return Options(initial_learning_rate(train))
      .betas({train.beta1, train.beta2})
      .eps(train.epsilon)
      .weight_decay(train.weight_decay.value_or(0));
}

// NAdam, which LibTorch has in Python only. It updates one tensor.
class Nadam : public torch::optim::Optimizer {
 public:
  Nadam(const std::vector<torch::Tensor>& parameters, const torch::optim::AdamOptions& options)
      : Optimizer(parameters, std::make_unique<torch::optim::AdamOptions>(options)),
        momentum_(std::get<0>(options.betas())),
        mean_(torch::zeros_like(parameters.front())),
        square_(torch::zeros_like(parameters.front())) {}

  torch::Tensor step(LossClosure /*closure*/ = nullptr) override {
    const torch::NoGradGuard no_grad;
    const auto& options = static_cast<const torch::optim::AdamOptions&>(param_groups().front().options());
    const auto [beta1, beta2] = options.betas();
    const auto [gradient_weight, mean_weight] = momentum_.weights(steps_++);
    torch::Tensor parameter = param_groups().front().params().front(), gradient = parameter.grad();
    if (options.weight_decay() > 0) gradient = gradient.add(parameter, options.weight_decay());
    mean_.mul_(beta1).add_(gradient, 1 - beta1);
    square_.mul_(beta2).addcmul_(gradient, gradient, 1 - beta2);
    const double correction = 1 - std::pow(beta2, static_cast<double>(steps_));
    const torch::Tensor root = square_.div(correction).sqrt_().add_(options.eps());
    parameter.addcdiv_(gradient, root, -options.lr() * gradient_weight);
    parameter.addcdiv_(mean_, root, -options.lr() * mean_weight);
    return {};
  }

  void save(torch::serialize::OutputArchive& archive) const override {
    archive.write("steps", c10::IValue(steps_));
    archive.write("mean", mean_, true);
    archive.write("square", square_, true);
  }

  void load(torch::serialize::InputArchive& archive) override {
    c10::IValue steps;
    archive.read("steps", steps);
    steps_ = steps.toInt();
    archive.read("mean", mean_, true);
    archive.read("square", square_, true);
  }

 private:
  NadamMomentum momentum_;
  std::int64_t steps_ = 0;
  torch::Tensor mean_, square_;  // running means of the gradient and of its square
};

}  // namespace

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const TrainOptions& train, const torch::Tensor& parameters) {
  using namespace torch::optim;
  const std::vector<torch::Tensor> all = {parameters};
  switch (train.optimizer) {
    case OptimizerKind::sgd:
      return std::make_unique<SGD>(all, SGDOptions(initial_learning_rate(train))
                                            .momentum(train.momentum)
                                            .nesterov(train.nesterov)
                                            .weight_decay(train.weight_decay.value_or(0)));
    case OptimizerKind::adam:
      return std::make_unique<Adam>(all, adam_options<AdamOptions>(train));
    case OptimizerKind::adamw:
      return std::make_unique<AdamW>(all, adam_options<AdamWOptions>(train));
    case OptimizerKind::rmsprop:
      return std::make_unique<RMSprop>(all, RMSpropOptions(initial_learning_rate(train))
                                                .alpha(train.alpha)
                                                .eps(train.epsilon)
                                                .momentum(train.momentum)
                                                .weight_decay(train.weight_decay.value_or(0)));
    case OptimizerKind::nadam:
      return std::make_unique<Nadam>(all, adam_options<AdamOptions>(train));
  }
  return nullptr;
}

}  // namespace sheaf
