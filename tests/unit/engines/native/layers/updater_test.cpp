// Tests the sequence of optimizer steps with a constant gradient, where the results are simple.
// SPDX-License-Identifier: MIT
#include "engines/native/layers/updater.hpp"

#include <cmath>
#include <vector>

#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

namespace {

// The parameter after `steps` steps with a constant gradient.
template <class Value>
double after(const TrainOptions& train, std::int64_t steps, double gradient, double parameter,
             const std::vector<double>& rates = {}) {
  constexpr std::int64_t count = 16;
  struct alignas(64) Line {
    Value values[count];
  } gradients, parameters, states[2] = {};
  for (std::int64_t index = 0; index < count; ++index) {
    gradients.values[index] = static_cast<Value>(gradient);
    parameters.values[index] = static_cast<Value>(parameter);
  }
  Updater<Value> updater(train);
  for (std::int64_t step = 0; step < steps; ++step) {
    updater.begin_step(step, rates.empty() ? *train.learning_rate : rates[static_cast<std::size_t>(step)]);
    updater(gradients.values, count, parameters.values, states[0].values, count);
  }
  return static_cast<double>(parameters.values[count - 1]);
}

TrainOptions options(OptimizerKind optimizer) {
  TrainOptions train = test::plain_training();
  train.optimizer = optimizer;
  train.learning_rate = 0.01;
  return train;
}

}  // namespace

TEST_CASE("adam's steps have the length of the learning rate for any constant gradient and any decays") {
  for (const OptimizerKind optimizer : {OptimizerKind::adam, OptimizerKind::adamw}) {
    TrainOptions train = options(optimizer);
    for (const double beta1 : {0.0, 0.5, 0.9, 0.99}) {
      for (const double beta2 : {0.0, 0.9, 0.999, 0.9999, 0.99999}) {
        train.beta1 = beta1;
        train.beta2 = beta2;
        for (const double gradient : {0.25, -3.0}) {
          INFO("beta1 " << beta1 << ", beta2 " << beta2 << ", gradient " << gradient);
          const double expected = std::copysign(0.1, -gradient);
          CHECK(after<double>(train, 10, gradient, 0) == Approx(expected).epsilon(1e-7));  // due to epsilon
          CHECK(after<float>(train, 10, gradient, 0) == Approx(expected).epsilon(1e-6));
        }
      }
    }
  }
}

TEST_CASE("weight decay: adamw shrinks the parameter directly, and other optimizers add to the gradient") {
  TrainOptions train = options(OptimizerKind::adamw);
  train.weight_decay = 0.5;
  CHECK(after<double>(train, 3, 0, 2) == Approx(2 * std::pow(1 - 0.01 * 0.5, 3)).epsilon(1e-14));
  train.optimizer = OptimizerKind::sgd;
  CHECK(after<double>(train, 3, 0, 2) == Approx(2 * std::pow(1 - 0.01 * 0.5, 3)).epsilon(1e-14));
  train.optimizer = OptimizerKind::adam;
  CHECK(after<double>(train, 1, 0, 2) == Approx(2 - 0.01).epsilon(1e-7));
}

TEST_CASE("momentum: sgd's steps grow to 1 / (1 - momentum) times the first; nesterov is one step ahead") {
  TrainOptions train = options(OptimizerKind::sgd);
  train.momentum = 0.5;
  CHECK(after<double>(train, 3, 1, 0) == Approx(-0.01 * (1 + 1.5 + 1.75)).epsilon(1e-14));
  train.nesterov = true;
  CHECK(after<double>(train, 3, 1, 0) == Approx(-0.01 * (1.5 + 1.75 + 1.875)).epsilon(1e-14));
}

TEST_CASE("rmsprop's steps equal its formula, with and without momentum") {
  TrainOptions train = options(OptimizerKind::rmsprop);
  train.alpha = 0.75;
  const double first = 1 / std::sqrt(0.25), second = 1 / std::sqrt(0.4375);
  CHECK(after<double>(train, 2, 1, 0) == Approx(-0.01 * (first + second)).epsilon(1e-7));
  train.momentum = 0.5;
  CHECK(after<double>(train, 2, 1, 0) == Approx(-0.01 * (first + (0.5 * first + second))).epsilon(1e-7));
}

TEST_CASE("nadam's steps equal its formula for a constant gradient") {
  TrainOptions train = options(OptimizerKind::nadam);
  train.beta1 = 0.75;
  const auto mu = [](int step) { return 0.75 * (1 - 0.5 * std::pow(0.96, step * 4e-3)); };
  double expected = 0, product = 1, power = 1;
  for (int step = 1; step <= 10; ++step) {
    product *= mu(step);
    power *= 0.75;
    expected -= 0.01 * ((1 - mu(step)) / (1 - product) + mu(step + 1) * (1 - power) / (1 - product * mu(step + 1)));
  }
  CHECK(after<double>(train, 10, 3, 0) == Approx(expected).epsilon(1e-8));  // due to epsilon
  CHECK(after<float>(train, 10, 3, 0) == Approx(expected).epsilon(1e-6));
}

TEST_CASE("each step uses its own learning rate, also for adamw's decay") {
  const std::vector<double> rates = {0.1, 0.02, 0, 0.03};
  CHECK(after<double>(options(OptimizerKind::sgd), 4, 2, 1, rates) == Approx(1 - 2 * 0.15));
  TrainOptions train = options(OptimizerKind::adamw);
  train.weight_decay = 0.5;
  double expected = 1;
  for (const double rate : rates)
    expected = expected * (1 - rate * 0.5) - rate;  // adam's steps have the length of the learning rate
  CHECK(after<double>(train, 4, 2, 1, rates) == Approx(expected).epsilon(1e-7));
}
