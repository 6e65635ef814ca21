// SPDX-License-Identifier: MIT
#include "engine/torch_training.hpp"

#include "model/initial_weights.hpp"
#include "small_studies.hpp"
#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

const DataSet line = regression_data(1, {1, 2}, {2, 5});

// y = w x + b from (0.5, 0.25), one full-batch step in double; returns (w, b).
std::pair<double, double> step_once(TrainOptions train, std::int64_t epochs = 1) {
  train.epochs = epochs;
  train.batch_size = 0;
  const ModelOptions model;
  const Network network(model, network_layout(model, {2, 1, 1, {}}), {0.5f, 0.25f}, torch::kCPU, torch::kFloat64);
  const BatchReader reader(line, data_tensors(line, torch::kCPU), {}, train.loss, torch::kFloat64);
  train_network(network, reader, train, {0, 1}, 1);
  return {network.parameters()[0].item<double>(), network.parameters()[1].item<double>()};
}

// Residuals -1.25 and -3.75: gradients of the mean square.
constexpr double gradient_w = (-1.25 * 1 - 3.75 * 2), gradient_b = (-1.25 - 3.75);
constexpr double rounding = 1e-12;

}  // namespace

TEST_CASE("each optimizer's first step, by its formula") {
  TrainOptions train;
  train.learning_rate = 0.01;
  train.weight_decay = 0.1;
  const double decayed_w = gradient_w + 0.1 * 0.5, decayed_b = gradient_b + 0.1 * 0.25;
  SECTION("sgd") {
    const auto [w, b] = step_once(train);
    CHECK(w == Approx(0.5 - 0.01 * decayed_w).epsilon(rounding));
    CHECK(b == Approx(0.25 - 0.01 * decayed_b).epsilon(rounding));
  }
  SECTION("sgd, nesterov: the first step is (1 + momentum) times as long") {
    train.momentum = 0.9;
    train.nesterov = true;
    CHECK(step_once(train).first == Approx(0.5 - 0.01 * 1.9 * decayed_w).epsilon(rounding));
  }
  SECTION("adam: the learning rate against the gradient's sign") {
    train.optimizer = OptimizerKind::adam;
    CHECK(step_once(train).first == Approx(0.5 + 0.01).epsilon(1e-8));  // epsilon / |gradient|
  }
  SECTION("adamw: the same after its own decay") {
    train.optimizer = OptimizerKind::adamw;
    CHECK(step_once(train).first == Approx(0.5 * (1 - 0.01 * 0.1) + 0.01).epsilon(1e-8));
  }
  SECTION("rmsprop: the gradient by the root of (1 - alpha) times its square") {
    train.optimizer = OptimizerKind::rmsprop;
    train.alpha = 0.75;
    CHECK(step_once(train).first == Approx(0.5 + 0.01 / 0.5).epsilon(1e-7));
  }
}

TEST_CASE("momentum remembers the first step in the second") {
  TrainOptions train;
  train.learning_rate = 0.01;
  train.momentum = 0.5;
  const double w = 0.5 - 0.01 * gradient_w, b = 0.25 - 0.01 * gradient_b;
  const double second_w = (w + b - 2) + (2 * w + b - 5) * 2;
  CHECK(step_once(train, 2).first == Approx(w - 0.01 * (0.5 * gradient_w + second_w)).epsilon(rounding));
}

TEST_CASE("validation in several batches is the mean over rows") {
  const std::int64_t rows = 2500;
  std::vector<float> features(rows), targets(rows);
  double squares = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    features[std::size_t(row)] = static_cast<float>(row % 10);
    targets[std::size_t(row)] = static_cast<float>(row / 1024);  // the batches differ
    squares += std::pow(0.5 * double(row % 10) + 0.25 - double(row / 1024), 2);
  }
  const DataSet data = regression_data(1, features, targets);
  std::vector<std::int64_t> numbers(rows);
  for (std::int64_t row = 0; row < rows; ++row) numbers[std::size_t(row)] = row;
  TrainOptions train;
  const ModelOptions model;
  const Network network(model, network_layout(model, {rows, 1, 1, {}}), {0.5f, 0.25f}, torch::kCPU, torch::kFloat64);
  const BatchReader reader(data, data_tensors(data, torch::kCPU), {}, train.loss, torch::kFloat64);
  const auto validation = validate_network(network, reader, train, numbers);
  CHECK(validation.loss == Approx(squares / rows).epsilon(rounding));
  REQUIRE(validation.outputs.sizes() == torch::IntArrayRef({rows, 1}));
  CHECK(validation.outputs[2499][0].item<float>() == 4.75f);
  train.reduction = Reduction::sum;
  CHECK(validate_network(network, reader, train, numbers).loss == Approx(squares).epsilon(rounding));
}
