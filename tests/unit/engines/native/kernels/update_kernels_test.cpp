// Compares optimizer steps on every instruction set of this processor with simple loops in double.
// SPDX-License-Identifier: MIT
#include "engines/native/kernels/kernels.hpp"

#include <cmath>

#include "kernel_arrays.hpp"
#include "support/every_target.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

// One parameter and its optimizer state, in double.
struct Reference {
  double parameter = 0, first = 0, second = 0;

  void sgd(const UpdateRule<double>& rule, double gradient, bool momentum, bool nesterov) {
    gradient += rule.weight_decay * parameter;
    if (momentum) first = rule.momentum * first + gradient;
    const double velocity = nesterov ? gradient + rule.momentum * first : first;
    parameter -= rule.rate * (momentum ? velocity : gradient);
  }
  void adam(const UpdateRule<double>& rule, double gradient) {
    gradient += rule.weight_decay * parameter;
    first = rule.beta1 * first + (1 - rule.beta1) * gradient;
    second = rule.beta2 * second + (1 - rule.beta2) * gradient * gradient;
    parameter =
        rule.shrink * parameter - rule.corrected_rate * first / (std::sqrt(second) * rule.root_scale + rule.epsilon);
  }
  void nadam(const UpdateRule<double>& rule, double gradient) {
    gradient += rule.weight_decay * parameter;
    first = rule.beta1 * first + (1 - rule.beta1) * gradient;
    second = rule.beta2 * second + (1 - rule.beta2) * gradient * gradient;
    parameter -= (rule.gradient_rate * gradient + rule.corrected_rate * first) /
                 (std::sqrt(second) * rule.root_scale + rule.epsilon);
  }
  void rmsprop(const UpdateRule<double>& rule, double gradient, bool momentum) {
    gradient += rule.weight_decay * parameter;
    second = rule.alpha * second + (1 - rule.alpha) * gradient * gradient;
    const double direction = gradient / (std::sqrt(second) + rule.epsilon);
    if (momentum) first = rule.momentum * first + direction;
    parameter -= rule.rate * (momentum ? first : direction);
  }
};

template <class Value>
UpdateRule<Value> converted(const UpdateRule<double>& rule) {
  UpdateRule<Value> result;
  result.rate = static_cast<Value>(rule.rate);
  result.corrected_rate = static_cast<Value>(rule.corrected_rate);
  result.gradient_rate = static_cast<Value>(rule.gradient_rate);
  result.weight_decay = static_cast<Value>(rule.weight_decay);
  result.shrink = static_cast<Value>(rule.shrink);
  result.momentum = static_cast<Value>(rule.momentum);
  result.beta1 = static_cast<Value>(rule.beta1);
  result.beta2 = static_cast<Value>(rule.beta2);
  result.alpha = static_cast<Value>(rule.alpha);
  result.root_scale = static_cast<Value>(rule.root_scale);
  result.epsilon = static_cast<Value>(rule.epsilon);
  return result;
}

// Compares several steps of an optimizer with `step`.
template <class Value, class Step>
void check_update(const TrainOptions& train, const std::vector<double Reference::*>& states, const Step& step) {
  constexpr std::int64_t count = 80;
  const Update<Value> update = update_kernel<Value>(train);
  REQUIRE(state_count_of(train.optimizer, train.momentum > 0) == static_cast<int>(states.size()));
  const auto state_count = static_cast<std::int64_t>(states.size());
  Guarded<Value> parameters(normals<Value>(count, 15)), state(std::vector<Value>(at(state_count * count), 0));
  std::vector<Reference> reference(at(count));
  for (std::int64_t index = 0; index < count; ++index) reference[at(index)].parameter = double{parameters[index]};
  for (unsigned number = 0; number < 6; ++number) {
    UpdateRule<double> rule;  // float represents these numbers, and 1 minus them, exactly
    rule.rate = 0.0625 / (1 + number);
    rule.corrected_rate = 0.125 / (1 + number);
    rule.gradient_rate = 0.09375 / (1 + number);
    rule.weight_decay = 0.125;
    rule.shrink = 0.875;
    rule.momentum = 0.75;
    rule.beta1 = 0.875;
    rule.beta2 = 0.96875;
    rule.alpha = 0.9375;
    rule.root_scale = 1.5;
    rule.epsilon = 0x1p-10;
    Guarded<Value> gradients(normals<Value>(count, 100 + number));
    gradients.data()[number] = 0;
    for (std::int64_t index = 0; index < count; ++index) step(reference[at(index)], rule, double{gradients[index]});
    update(converted<Value>(rule), gradients.data(), count, parameters.data(), state.data(), count);
  }
  std::vector<double> right, right_state;
  for (const Reference& one : reference) right.push_back(one.parameter);
  for (const auto member : states)
    for (const Reference& one : reference) right_state.push_back(one.*member);
  const double tolerance = pick<Value>(2e-6, 4e-15);  // about ten roundings per step, six steps
  CHECK(distance(parameters.values(), right) < tolerance);
  CHECK(distance(state.values(), right_state) < tolerance);
  CHECK(parameters.intact());
  CHECK(state.intact());
}

template <class Value>
void check_updates() {
  using Rule = UpdateRule<double>;
  const auto options = [](OptimizerKind optimizer, double momentum = 0, bool nesterov = false) {
    TrainOptions train;
    train.optimizer = optimizer;
    train.momentum = momentum;
    train.nesterov = nesterov;
    return train;
  };
  const auto sgd = [](bool momentum, bool nesterov) {
    return [=](Reference& one, const Rule& rule, double gradient) { one.sgd(rule, gradient, momentum, nesterov); };
  };
  const auto rmsprop = [](bool momentum) {
    return [=](Reference& one, const Rule& rule, double gradient) { one.rmsprop(rule, gradient, momentum); };
  };
  const auto first = &Reference::first, second = &Reference::second;
  check_update<Value>(options(OptimizerKind::sgd), {}, sgd(false, false));
  check_update<Value>(options(OptimizerKind::sgd, 0.5), {first}, sgd(true, false));
  check_update<Value>(options(OptimizerKind::sgd, 0.5, true), {first}, sgd(true, true));
  for (const auto kind : {OptimizerKind::adam, OptimizerKind::adamw})
    check_update<Value>(options(kind), {first, second},
                        [](Reference& one, const Rule& rule, double gradient) { one.adam(rule, gradient); });
  check_update<Value>(options(OptimizerKind::nadam), {first, second},
                      [](Reference& one, const Rule& rule, double gradient) { one.nadam(rule, gradient); });
  check_update<Value>(options(OptimizerKind::rmsprop), {second}, rmsprop(false));
  check_update<Value>(options(OptimizerKind::rmsprop, 0.5), {second, first}, rmsprop(true));
}

}  // namespace

TEST_CASE("updates equal the definitions of the optimizers") {
  on_every_target([] {
    check_updates<float>();
    check_updates<double>();
  });
}
