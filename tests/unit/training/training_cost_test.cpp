// SPDX-License-Identifier: MIT
#include "training/training_cost.hpp"

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
  CHECK(estimate.memory_bytes == Approx(4.0 * (static_cast<double>(estimate.parameters) * 4 + 10 * (64 + 2 * 42))));
  trial.train.precision = Precision::float64;
  CHECK(estimate_trial(trial, shape, 64 * 32 + 32 + 32 * 10 + 10, 80).memory_bytes ==
        Approx(2 * estimate.memory_bytes));
}

TEST_CASE("the number of training rows excludes the fold or the hold-out") {
  Study study = test::regression_study();
  CHECK(training_rows_per_iteration(study, 1797) == 1797);
  study.data.validation = 0.25;
  CHECK(training_rows_per_iteration(study, 100) == 75);
  study.data.validation = 0;
  study.search.folds = 5;
  CHECK(training_rows_per_iteration(study, 1797) == 1438);
}
