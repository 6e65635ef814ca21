// A refit compared with an independent training on the same rows without validation.
// SPDX-License-Identifier: MIT
#include <cmath>
#include <utility>

#include "data/synthetic.hpp"
#include "engines/engine_table.hpp"
#include "support/catch.hpp"
#include "support/settled.hpp"
#include "support/small_studies.hpp"
#include "training/memory_training.hpp"

using namespace sheaf;

namespace {

constexpr std::int64_t batch = 16, epoch_steps = 5;  // of the 80 rows that the test leaves

// 3 folds, of whose 53 or 54 training rows some stop the training; test rows are in none of the splits.
Study refitted_study() {
  Study study = test::plain_study();
  study.data = test::drawn_classes(100, 4, 3);
  study.data.test = 0.2;
  study.data.normalize = Normalize::standard;
  study.model.kind = ModelKind::mlp;
  study.model.hidden = std::vector<std::int64_t>{6};
  study.model.dropout = 0.25;
  study.train.loss = LossKind::cross_entropy;
  study.train.optimizer = OptimizerKind::adam;
  study.train.learning_rate = 0.01;
  study.train.batch_size = batch;
  study.train.epochs = 10;
  study.train.average = Average::ema;
  study.train.average_decay = 0.9;
  study.train.class_weights.balanced = true;
  study.train.patience = 1;
  study.train.best_weights = true;
  study.train.stop_fraction = 0.2;
  study.search.folds = 3;
  study.run.models = ModelsSaved::best;
  study.run.refit = true;
  return study;
}

TrainedIteration train(const Study& study, const Plan& plan, const DataSet& data, const Iteration& iteration) {
  Splits splits(study, data);
  const SettledStudy settled = test::settled(study);
  const TrainingContext context{settled, plan, &data, &splits};
  const Trial trial = plan.trial(iteration.trial);
  const IterationInput input{data, splits.split(iteration.repeat, iteration.fold),
                             splits.scaling(iteration.repeat, iteration.fold, scaling_kind(trial))};
  const auto trainer = engine_named("native").make_trainer({-1, 1}, &data);
  return train_iteration(context, iteration, trial, input, *trainer, [] { return false; });
}

// The refit, and a training of the same seed on all rows, for as many epochs as the refit has steps.
std::pair<TrainedIteration, TrainedIteration> refit_and_independent(const Study& study, const Refit& refit) {
  const DataSet data = draw_synthetic(study.data, 3);
  Plan plan = test::whole_plan(study);
  plan.add(refit_stage(plan, {refit}));
  const Iteration iteration = plan.iteration(plan.refit_iterations().begin);
  Study alone = study;
  alone.search.folds = 1;
  alone.train.patience = 0;
  alone.train.best_weights = false;
  alone.train.stop_fraction = 0;
  alone.train.epochs = refit.steps() / epoch_steps;
  const Plan whole = test::whole_plan(alone);
  Iteration same_seed = whole.iteration(0);
  same_seed.seed = iteration.seed;
  return {train(study, plan, data, iteration), train(alone, whole, data, same_seed)};
}

}  // namespace

TEST_CASE("a refit has the bits of an independent training on all rows without validation") {
  for (const Schedule schedule : {Schedule::constant, Schedule::cosine, Schedule::one_cycle}) {
    Study study = refitted_study();
    study.train.schedule = schedule;
    const bool ends_early = schedule == Schedule::constant;  // others depend on the last step of the schedule
    const Refit refit{0, ends_early ? 5 : 10, ends_early ? 4 : 3, {}};
    const auto [found, expected] = refit_and_independent(study, refit);
    CHECK(found.result.status == IterationStatus::finished);
    CHECK(found.result.steps == refit.steps());
    CHECK(found.result.steps == expected.result.steps);
    CHECK(found.result.epochs == refit.steps() / epoch_steps);
    CHECK(found.result.final_loss == expected.result.final_loss);
    CHECK(std::isnan(found.result.validation_loss));
    CHECK_FALSE(found.network.parameters.empty());
    CHECK(found.network.parameters == expected.network.parameters);
    CHECK(found.scaling.shift == expected.scaling.shift);
    CHECK(found.scaling.scale == expected.scaling.scale);
  }
}
