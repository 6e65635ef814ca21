// SPDX-License-Identifier: MIT
#include "training/training_cost.hpp"

#include <string>
#include <utility>
#include <vector>

#include "study/settings.hpp"
#include "support/catch.hpp"
#include "support/regression_study.hpp"

using namespace sheaf;

TEST_CASE("the cost of an mlp equals the computation by hand") {
  Trial trial;
  trial.model.kind = ModelKind::mlp;
  trial.model.hidden = {32};
  trial.train.optimizer = OptimizerKind::adam;
  trial.train.epochs = 3;
  trial.train.batch_size = 10;
  const DataShape shape{100, 64, 10, {}};
  const auto estimate = estimate_trial(trial, shape, 64 * 32 + 32 + 32 * 10 + 10, 80);
  CHECK(estimate.parameters == 64 * 32 + 32 + 32 * 10 + 10);
  CHECK(estimate.steps == 8 * 3);
  CHECK(estimate.flops == Approx(6.0 * (64 * 32 + 32 * 10) * 80 * 3));
  CHECK(estimate.model_bytes == Approx(4.0 * (static_cast<double>(estimate.parameters) * 4 + 10 * (64 + 2 * 42))));
  CHECK(estimate.checkpoint_bytes == Approx(4.0 * static_cast<double>(estimate.parameters) * 3 + 1024));
  trial.train.precision = Precision::float64;
  const auto in_double = estimate_trial(trial, shape, 64 * 32 + 32 + 32 * 10 + 10, 80);
  CHECK(estimate.needed_bytes == estimate.model_bytes);
  CHECK(in_double.model_bytes == Approx(2 * estimate.model_bytes));
  CHECK(in_double.checkpoint_bytes == Approx(2 * estimate.checkpoint_bytes - 1024));
}

TEST_CASE("keys that change an estimate decide the cost") {
  const std::vector<std::pair<std::string, std::string>> values = {
      {"model.kind", "linear"},     {"model.hidden", "7"},        {"model.bias", "false"},
      {"model.dropout", "0.5"},     {"model.activation", "tanh"}, {"model.initialization", "he"},
      {"train.epochs", "7"},        {"train.batch_size", "7"},    {"train.shuffle", "false"},
      {"train.loss", "bce"},        {"train.reduction", "sum"},   {"train.optimizer", "sgd"},
      {"train.learning_rate", "1"}, {"train.momentum", "0.5"},    {"train.nesterov", "true"},
      {"train.weight_decay", "1"},  {"train.beta1", "0.5"},       {"train.beta2", "0.5"},
      {"train.alpha", "0.5"},       {"train.epsilon", "0.5"},     {"train.precision", "float64"}};
  const auto estimate_of = [](const Study& study) {
    const Trial trial{{}, study.model, study.train};
    const DataShape shape{100, 64, 10, {}};
    return estimate_trial(trial, shape, parameter_count(network_layout(trial.model, shape)), 80);
  };
  for (const OptimizerKind optimizer : {OptimizerKind::adam, OptimizerKind::rmsprop}) {
    Study study = test::regression_study();
    study.model.kind = ModelKind::mlp;
    study.model.hidden = {32};
    study.train.optimizer = optimizer;
    for (const auto& [key, value] : values) {
      Study other = study;
      apply_setting(other, key, value);
      const TrialEstimate one = estimate_of(study), changed = estimate_of(other);
      const bool same = one.parameters == changed.parameters && one.steps == changed.steps &&
                        one.flops == changed.flops && one.model_bytes == changed.model_bytes;
      CAPTURE(key);
      CHECK((same || decides_cost(key)));
    }
  }
}

TEST_CASE("the number of training rows excludes the fold or the hold-out") {
  Study study = test::regression_study();
  CHECK(training_rows_per_iteration(study, {1797}) == 1797);
  study.data.validation = 0.25;
  CHECK(training_rows_per_iteration(study, {100}) == 75);
  study.data.validation = 0;
  CHECK(training_rows_per_iteration(study, {100, 30, 20}) == 100);
  study.search.folds = 5;
  CHECK(training_rows_per_iteration(study, {1797}) == 1438);
}
