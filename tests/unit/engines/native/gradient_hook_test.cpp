// Tests of the gradient hook, which gets the whole gradient of a step before the update.
// SPDX-License-Identifier: MIT
#include <cmath>
#include <numeric>
#include <vector>

#include "data/synthetic.hpp"
#include "engines/native/network.hpp"
#include "models/initial_weights.hpp"
#include "support/catch.hpp"
#include "support/regression_study.hpp"
#include "support/small_studies.hpp"
#include "training/training_cost.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

constexpr std::int64_t row_count = 48;
constexpr double rate = 0.25;

struct Shape {
  std::vector<std::int64_t> hidden;
  bool bias = true;
  double dropout = 0;
  LossKind loss = LossKind::cross_entropy;
  Norm norm = Norm::none;
};

// Networks in column layout and row layout, trained in one pass, without bias, and with padding in every dimension.
const Shape shapes[] = {{{}},
                        {{}, true, 0, LossKind::mse},
                        {{5}},
                        {{64, 32}},
                        {{70, 7, 33}, false},
                        {{64}, true, 0.5},
                        {{300, 9}, true, 0, LossKind::bce},
                        {{70, 3}, false, 0.5, LossKind::cross_entropy, Norm::layer}};

// The parameters after the steps, and the gradient of the first step as the hook got it.
struct Training {
  std::vector<float> parameters;
  std::vector<double> gradient;
};

// Trains with one batch per step, divided into `tiles`. The hook multiplies the gradient by `factor`.
Training train(const Shape& shape, OptimizerKind optimizer, std::int64_t tiles, bool with_hook, double factor = 1) {
  Study study = test::regression_study();
  study.data = drawn_classes(row_count, 21, 3);
  ModelOptions& model = study.model;
  model.kind = shape.hidden.empty() ? ModelKind::linear : ModelKind::mlp;
  model.hidden = shape.hidden;
  model.bias = shape.bias;
  model.norm = shape.norm;
  model.dropout = shape.dropout;
  study.train.loss = shape.loss;
  study.train.optimizer = optimizer;
  const DataSet data = draw_synthetic(study.data, 1);
  const auto layers = network_layout(model, {row_count, 21, 3, {}});
  const std::int64_t tile = row_count / tiles;
  NativeNetwork<double> network({layers, model.dropout > 0, optimizer_state_count(study.train)}, tile);
  network.set_options(model, study.train);
  network.reserve(tile);
  const FeatureScaling scaling;
  const TargetScaling targets;
  network.load(initial_weights(layers, model.initialization, 1), data, scaling, targets);
  std::vector<std::int64_t> rows(row_count);
  std::iota(rows.begin(), rows.end(), 0);
  Training training;
  const GradientHook<double> hook = [&](const Parameters<double>& parameters) {
    double* gradient = parameters.gradients_at(0);
    const std::int64_t count = parameters.count();
    if (training.gradient.empty()) training.gradient.assign(gradient, gradient + count);
    for (std::int64_t index = 0; index < count; ++index) gradient[index] *= factor;
  };
  for (std::int64_t step = 0; step < (factor == 1 ? 3 : 1); ++step)
    for (std::int64_t begin = 0; begin < row_count; begin += tile) {
      network.gather(rows.data() + begin, tile, true);
      network.train({begin, begin == 0, begin + tile == row_count, 1.0 / row_count, rate, {1, step}},
                    with_hook ? &hook : nullptr);
    }
  training.parameters = network.state().parameters;
  return training;
}

std::vector<float> initial_parameters(const Shape& shape) {
  return train(shape, OptimizerKind::sgd, 1, true, 0).parameters;
}

}  // namespace

TEST_CASE("a hook that does not change the gradient does not change the training, with one tile or several") {
  for (const Shape& shape : shapes)
    for (const auto optimizer : {OptimizerKind::sgd, OptimizerKind::adamw, OptimizerKind::rmsprop})
      for (const std::int64_t tiles : {1, 3})
        CHECK(train(shape, optimizer, tiles, true).parameters == train(shape, optimizer, tiles, false).parameters);
}

TEST_CASE("the hook gets the whole gradient, with zeros in the padding") {
  for (const Shape& shape : shapes)
    for (const std::int64_t tiles : {1, 3}) {
      const auto before = initial_parameters(shape);
      const Training step = train(shape, OptimizerKind::sgd, tiles, true, 0.5);
      double moved = 0, seen = 0;
      for (std::size_t i = 0; i < before.size(); ++i)
        moved += std::pow((double{before[i]} - double{step.parameters[i]}) / (0.5 * rate), 2);
      for (const double value : step.gradient) seen += value * value;
      REQUIRE(seen > 1e-6);
      CHECK(moved == Approx(seen).epsilon(1e-4));  // parameters are rounded to float
    }
}

TEST_CASE("the update uses the gradient as the hook changed it") {
  for (const Shape& shape : shapes) {
    const auto before = initial_parameters(shape);
    const auto whole = train(shape, OptimizerKind::sgd, 1, true, 0.999999999).parameters;
    const auto double_step = train(shape, OptimizerKind::sgd, 1, true, 2).parameters;
    for (std::size_t i = 0; i < before.size(); ++i)
      CHECK(double{double_step[i]} - double{before[i]} ==
            Approx(2 * (double{whole[i]} - double{before[i]})).margin(1e-6));
  }
}
