// Tests which options of a trial decide its stack.
// SPDX-License-Identifier: MIT
#include "training/stack_shape.hpp"

#include <functional>
#include <string>
#include <utility>

#include "models/network_layout.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

namespace {

using Change = std::pair<std::string, std::function<void(Trial&)>>;

Trial plain_trial() {
  Trial trial{{}, test::plain_model(), test::plain_training()};
  trial.model.kind = ModelKind::mlp;
  trial.model.hidden = std::vector<std::int64_t>{8};
  trial.train.loss = LossKind::mse;
  trial.train.optimizer = OptimizerKind::adam;
  trial.train.batch_size = 10;
  return trial;
}

StackShape shape_of_trial(const Trial& trial, std::int64_t rows = 100, const FeatureScaling& scaling = {}) {
  return stack_shape(trial, network_layout(trial.model, DataShape{120, 4, 2, {}}), scaling, rows);
}

}  // namespace

TEST_CASE("trials that differ in these options do not share a stack") {
  const std::vector<Change> changes = {
      {"hidden", [](Trial& of) { of.model.hidden = std::vector<std::int64_t>{9}; }},
      {"bias", [](Trial& of) { of.model.bias = false; }},
      {"norm", [](Trial& of) { of.model.norm = Norm::layer; }},
      {"activation", [](Trial& of) { of.model.activation = Activation::tanh; }},
      {"dropout", [](Trial& of) { of.model.dropout = 0.5; }},
      {"loss", [](Trial& of) { of.train.loss = LossKind::mae; }},
      {"reduction", [](Trial& of) { of.train.reduction = Reduction::sum; }},
      {"optimizer", [](Trial& of) { of.train.optimizer = OptimizerKind::nadam; }},
      {"clip_norm", [](Trial& of) { of.train.clip_norm = 1; }},
      {"clip_value", [](Trial& of) { of.train.clip_value = 1; }},
      {"l1", [](Trial& of) { of.train.l1 = 1; }},
      {"class_weights", [](Trial& of) { of.train.class_weights.balanced = true; }},
      {"average", [](Trial& of) { of.train.average = Average::ema; }},
      {"precision", [](Trial& of) { of.train.precision = Precision::float64; }},
      {"batch_size", [](Trial& of) { of.train.batch_size = 11; }},
  };
  for (const auto& [name, change] : changes) {
    INFO(name);
    Trial trial = plain_trial();
    change(trial);
    CHECK(shape_of_trial(trial) != shape_of_trial(plain_trial()));
  }
  Trial one = plain_trial(), other = plain_trial();
  one.train.loss = other.train.loss = LossKind::quantile;
  one.train.quantiles = {0.1, 0.9};
  other.train.quantiles = {0.1, 0.8};
  CHECK(shape_of_trial(one) != shape_of_trial(other));
  CHECK(shape_of_trial(plain_trial(), 100) != shape_of_trial(plain_trial(), 101));  // another batch
  FeatureScaling scaling;
  scaling.shift = scaling.scale = {1, 1, 1, 1};
  CHECK(shape_of_trial(plain_trial(), 100, scaling) != shape_of_trial(plain_trial()));
}

TEST_CASE("trials that differ in these options can share a stack") {
  const std::vector<Change> changes = {
      {"optimizer", [](Trial& of) { of.train.optimizer = OptimizerKind::adamw; }},
      {"learning_rate", [](Trial& of) { of.train.learning_rate = 0.5; }},
      {"schedule", [](Trial& of) { of.train.schedule = Schedule::cosine; }},
      {"warmup_epochs", [](Trial& of) { of.train.warmup_epochs = 1; }},
      {"epochs", [](Trial& of) { of.train.epochs = 77; }},
      {"patience", [](Trial& of) { of.train.patience = 3; }},
      {"weight_decay", [](Trial& of) { of.train.weight_decay = 0.1; }},
      {"beta1", [](Trial& of) { of.train.beta1 = 0.5; }},
      {"epsilon", [](Trial& of) { of.train.epsilon = 0.1; }},
      {"label_smoothing", [](Trial& of) { of.train.label_smoothing = 0.1; }},
      {"huber_delta", [](Trial& of) { of.train.huber_delta = 2; }},
      {"shuffle", [](Trial& of) { of.train.shuffle = false; }},
      {"initialization", [](Trial& of) { of.model.initialization = Initialization::he; }},
      {"normalize", [](Trial& of) { of.normalize = Normalize::minmax; }},
  };
  for (const auto& [name, change] : changes) {
    INFO(name);
    Trial trial = plain_trial();
    change(trial);
    CHECK(shape_of_trial(trial) == shape_of_trial(plain_trial()));
  }
  Trial one = plain_trial(), other = plain_trial();
  one.model.dropout = 0.1;
  other.model.dropout = 0.5;
  one.train.clip_norm = 1;
  other.train.clip_norm = 2;
  CHECK(shape_of_trial(one) == shape_of_trial(other));
  CHECK(shape_of_trial(plain_trial(), 95) == shape_of_trial(plain_trial(), 100));  // a shorter last batch
}
