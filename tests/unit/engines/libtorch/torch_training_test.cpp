// SPDX-License-Identifier: MIT
#include "engines/libtorch/torch_training.hpp"

#include <cmath>

#include "engines/libtorch/layer_network.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"
#include "support/small_studies.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

const DataSet line = regression_data(1, {1, 2}, {2, 5});

// A training of y = w x + b in double, starting from (w, b) = (0.5, 0.25).
struct Line {
  Line(const DataSet& from, const TrainOptions& train) : data(from) {
    trial.train = train;
    trial.train.precision = Precision::float64;
    rows = RowSet::all(data.rows);
  }

  TorchTraining training() const {
    return {{trial, layers, weights, data, split, scaling, rows, 1},
            std::make_unique<LayerNetwork>(trial.model, layers, weights, torch::kCPU, Precision::float64),
            data_tensors(data, torch::kCPU)};
  }

  const DataSet& data;
  Trial trial{{}, test::plain_model(), {}};
  std::vector<Layer> layers = network_layout(test::plain_model(), {1, 1, 1, {}});
  std::vector<float> weights = {0.5f, 0.25f};
  Split split;
  FeatureScaling scaling;
  RowSet rows;
};

// Returns (w, b) after the given number of full-batch epochs.
std::pair<double, double> step_once(TrainOptions train, std::int64_t epochs = 1) {
  train.batch_size = 0;
  const Line start(line, train);
  TorchTraining training = start.training();
  const auto rows = start.rows.list();
  double loss_sum = 0;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch)
    training.train({rows.data(), start.rows.count(), epoch}, LearningRate(train, 1), loss_sum);
  const torch::Tensor& parameters = training.network().parameters();
  return {parameters[0].item<double>(), parameters[1].item<double>()};
}

// The gradients of the mean square for the residuals -1.25 and -3.75.
constexpr double gradient_w = (-1.25 * 1 - 3.75 * 2), gradient_b = (-1.25 - 3.75);
constexpr double rounding = 1e-12;

}  // namespace

TEST_CASE("the first step of each optimizer equals its formula") {
  TrainOptions train = test::plain_training();
  train.loss = LossKind::mse;
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
  SECTION("nadam: adam's step and a part of the next one's") {
    train.optimizer = OptimizerKind::nadam;
    const double first = 0.9 * (1 - 0.5 * std::pow(0.96, 4e-3)), second = 0.9 * (1 - 0.5 * std::pow(0.96, 8e-3));
    const double length = 0.01 * (1 + second * 0.1 / (1 - first * second));
    CHECK(step_once(train).first == Approx(0.5 + length).epsilon(1e-8));
  }
  SECTION("rmsprop: the gradient by the root of (1 - alpha) times its square") {
    train.optimizer = OptimizerKind::rmsprop;
    train.alpha = 0.75;
    CHECK(step_once(train).first == Approx(0.5 + 0.01 / 0.5).epsilon(1e-7));
  }
}

TEST_CASE("gradients are clipped before weight decay is added") {
  TrainOptions train = test::plain_training();
  train.loss = LossKind::mse;
  train.learning_rate = 0.01;
  train.weight_decay = 0.1;
  const auto check_step = [&](double w, double b) {
    const auto [new_w, new_b] = step_once(train);
    CHECK(new_w == Approx(0.5 - 0.01 * (w + 0.1 * 0.5)).epsilon(rounding));
    CHECK(new_b == Approx(0.25 - 0.01 * (b + 0.1 * 0.25)).epsilon(rounding));
  };
  const double norm = std::hypot(gradient_w, gradient_b);
  SECTION("norm") {
    train.clip_norm = 2;
    check_step(gradient_w * 2 / (norm + 1e-6), gradient_b * 2 / (norm + 1e-6));
  }
  SECTION("a smaller norm stays") {
    train.clip_norm = 1.001 * norm;
    check_step(gradient_w, gradient_b);
  }
  SECTION("values") {
    train.clip_value = 6;
    check_step(-6, gradient_b);
  }
}

TEST_CASE("with momentum, the second step includes the first") {
  TrainOptions train = test::plain_training();
  train.loss = LossKind::mse;
  train.learning_rate = 0.01;
  train.momentum = 0.5;
  const double w = 0.5 - 0.01 * gradient_w, b = 0.25 - 0.01 * gradient_b;
  const double second_w = (w + b - 2) + (2 * w + b - 5) * 2;
  CHECK(step_once(train, 2).first == Approx(w - 0.01 * (0.5 * gradient_w + second_w)).epsilon(rounding));
}

TEST_CASE("sample weights multiply row losses, and the mean divides by the number of rows") {
  const auto outputs = torch::tensor({{0.5, -1.0}, {2.0, 0.25}, {-0.5, 1.5}}, torch::kFloat64);
  const auto weights = torch::tensor({2.0, 0.0, 0.5}, torch::kFloat64);
  const auto one_hot = torch::tensor({{0.0, 1.0}, {1.0, 0.0}, {1.0, 0.0}}, torch::kFloat64);
  const auto softplus = [](double x) { return std::log1p(std::exp(x)); };
  TrainOptions train = test::plain_training();
  train.loss = LossKind::mse;
  torch::Tensor targets = one_hot;
  double sum = 0;
  std::int64_t divisor = 6;
  SECTION("mse") {
    sum = 2 * (0.5 * 0.5 + 2 * 2) + 0.5 * (1.5 * 1.5 + 1.5 * 1.5);
  }
  SECTION("mae") {
    train.loss = LossKind::mae;
    sum = 2 * (0.5 + 2) + 0.5 * (1.5 + 1.5);
  }
  SECTION("huber") {
    train.loss = LossKind::huber;
    train.huber_delta = 1.75;
    sum = 2 * (0.5 * 0.5 / 2 + 1.75 * (2 - 1.75 / 2)) + 0.5 * (1.5 * 1.5 / 2 + 1.5 * 1.5 / 2);
  }
  SECTION("quantile") {
    train.loss = LossKind::quantile;
    train.quantiles = {0.2, 0.9};
    sum = 2 * (0.8 * 0.5 + 0.9 * 2) + 0.5 * (0.2 * 1.5 + 0.1 * 1.5);
  }
  SECTION("poisson") {
    train.loss = LossKind::poisson;
    sum = 2 * (std::exp(0.5) + std::exp(-1.0) + 1) + 0.5 * (std::exp(-0.5) + 0.5 + std::exp(1.5));
  }
  SECTION("bce") {
    train.loss = LossKind::bce;
    sum = 2 * (softplus(0.5) + softplus(1)) + 0.5 * (softplus(0.5) + softplus(1.5));
  }
  SECTION("cross entropy") {
    train.loss = LossKind::cross_entropy;
    targets = torch::tensor({1, 0, 0}, torch::kInt64);
    sum = 2 * softplus(1.5) + 0.5 * softplus(2);
    divisor = 3;
  }
  SECTION("cross entropy with smoothed labels") {
    train.loss = LossKind::cross_entropy;
    train.label_smoothing = 0.2;
    targets = torch::tensor({1, 0, 0}, torch::kInt64);
    sum = 2 * (0.9 * softplus(1.5) + 0.1 * softplus(-1.5)) + 0.5 * (0.9 * softplus(2) + 0.1 * softplus(-2));
    divisor = 3;
  }
  CHECK(batch_loss(train, outputs, targets, weights).item<double>() ==
        Approx(sum / static_cast<double>(divisor)).epsilon(rounding));
  const auto ones = torch::ones({3}, torch::kFloat64);
  CHECK(batch_loss(train, outputs, targets, ones).item<double>() ==
        Approx(batch_loss(train, outputs, targets).item<double>()).epsilon(rounding));
  train.reduction = Reduction::sum;
  CHECK(batch_loss(train, outputs, targets, weights).item<double>() == Approx(sum).epsilon(rounding));
  CHECK(batch_loss(train, outputs, targets, ones).item<double>() ==
        Approx(batch_loss(train, outputs, targets).item<double>()).epsilon(rounding));
}

TEST_CASE("an evaluation in several batches sums the losses of all rows") {
  const std::int64_t rows = 2500;
  std::vector<float> features(rows), targets(rows);
  double squares = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    features[std::size_t(row)] = static_cast<float>(row % 10);
    targets[std::size_t(row)] = static_cast<float>(row / 1024);  // the batches differ
    squares += std::pow(0.5 * double(row % 10) + 0.25 - double(row / 1024), 2);
  }
  const DataSet data = regression_data(1, features, targets);
  std::vector<float> outputs;
  TrainOptions train = test::plain_training();
  train.loss = LossKind::mse;
  const Line start(data, train);
  const auto listed = start.rows.list();
  const auto evaluate = [&](const Line& at) {
    outputs.clear();
    return at.training().evaluate(listed.data(), rows, outputs, [] { return false; }).value();
  };
  CHECK(evaluate(start) / rows == Approx(squares / rows).epsilon(rounding));
  REQUIRE(outputs.size() == rows);
  CHECK(outputs[2499] == 4.75f);
  TrainOptions summed = test::plain_training();
  summed.loss = LossKind::mse;
  summed.reduction = Reduction::sum;
  const Line sum(data, summed);
  CHECK(evaluate(sum) == Approx(evaluate(start)).epsilon(rounding));
}
