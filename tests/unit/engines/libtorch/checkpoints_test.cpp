// Tests that a training resumed from any of its checkpoints gives bitwise the same result.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <thread>

#include "core/error.hpp"
#include "data/synthetic.hpp"
#include "engines/lane_engine.hpp"
#include "engines/libtorch/torch_trainer.hpp"
#include "engines/native/native_trainer.hpp"
#include "support/epochs.hpp"
#include "support/one_training.hpp"
#include "support/small_studies.hpp"
#include "support/whole_plan.hpp"
#include "training/loss_log.hpp"
#include "training/piece_size.hpp"

#include "support/catch.hpp"
#include "support/regression_study.hpp"
#include "support/settled.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

Study study_of(EngineKind engine, OptimizerKind optimizer) {
  Study study = test::regression_study();
  study.data = drawn_classes(90, 12, 3);
  study.data.validation = 0.2;
  study.model.kind = ModelKind::mlp;
  study.model.hidden = {9};
  study.model.dropout = 0.2;
  study.train.loss = LossKind::cross_entropy;
  study.train.optimizer = optimizer;
  study.train.momentum = optimizer == OptimizerKind::sgd || optimizer == OptimizerKind::rmsprop ? 0.5 : 0;
  study.train.batch_size = 16;
  study.train.epochs = 5;
  study.ensemble.members = 2;
  study.run.engine = engine;
  study.run.curves = true;
  return study;
}

bool never() {
  return false;
}

// Trains an iteration with the given checkpoints.
TrainedIteration train_with(const Study& study, const DataSet& data, const Checkpoints& checkpoints,
                            const std::function<bool()>& stops = never, std::int64_t iteration = 0) {
  const Plan plan = whole_plan(study);
  Splits splits(study, data);
  const SettledStudy settled = test::settled(study);
  TrainingContext context{settled, plan, &data, &splits};
  context.checkpoints = &checkpoints;
  TrainedIteration found;
  found.result.iteration = -1;
  make_engine(context, {-1, 1})
      ->train({{iteration, iteration + 1}}, {[&](TrainedIteration&& trained) { found = std::move(trained); }, stops});
  return found;
}

// The numbers of a result, except for times.
std::vector<double> numbers_of(const TrainedIteration& trained) {
  const IterationResult& result = trained.result;
  std::vector<double> numbers = {result.final_loss,
                                 result.validation_loss,
                                 result.validation_score,
                                 static_cast<double>(result.epochs),
                                 static_cast<double>(result.steps),
                                 static_cast<double>(result.status)};
  for (const auto& epoch : trained.epochs)
    for (const double value : {epoch.training_loss, epoch.validation_loss, epoch.validation_score})
      numbers.push_back(value);
  numbers.insert(numbers.end(), trained.predictions.begin(), trained.predictions.end());
  for (double& number : numbers)
    if (std::isnan(number)) number = -1e300;  // equal to others
  return numbers;
}

std::vector<std::string> all_states(const Study& study, const DataSet& data) {
  std::vector<std::string> states;
  Checkpoints checkpoints;
  checkpoints.interval_seconds = 0;
  checkpoints.load = [](const IterationKey&) { return std::nullopt; };
  checkpoints.save = [&](const IterationKey& training, std::int64_t, const std::string& state, bool paused) {
    CHECK(training == IterationKey());
    CHECK_FALSE(paused);
    states.push_back(state);
  };
  train_with(study, data, checkpoints);
  return states;
}

void check_study(const Study& study, const DataSet& data) {
  const auto whole = numbers_of(train_first(study, &data));
  const auto states = all_states(study, data);
  REQUIRE(states.size() >= static_cast<std::size_t>(study.train.epochs));  // the first piece is one batch
  for (const auto& state : states) {
    Checkpoints checkpoints;
    checkpoints.interval_seconds = 1000;
    checkpoints.load = [&](const IterationKey&) { return state; };
    checkpoints.save = [](const IterationKey&, std::int64_t, const std::string&, bool) {
      FAIL("a checkpoint was saved before the interval had passed");
    };
    CHECK(numbers_of(train_with(study, data, checkpoints)) == whole);
  }
}

}  // namespace

TEST_CASE("resuming from a checkpoint is bitwise exact with both engines and every optimizer and precision") {
  for (const auto engine : {EngineKind::native, EngineKind::torch})
    for (const auto optimizer :
         {OptimizerKind::sgd, OptimizerKind::adam, OptimizerKind::adamw, OptimizerKind::rmsprop, OptimizerKind::nadam})
      for (const auto precision : {Precision::float32, Precision::float64, Precision::bfloat16}) {
        if (engine == EngineKind::native && precision == Precision::bfloat16) continue;
        Study study = study_of(engine, optimizer);
        study.train.precision = precision;
        study.train.l1 = 1e-4;
        if (optimizer == OptimizerKind::adamw) study.train.average = Average::ema;
        INFO("engine " << static_cast<int>(engine) << ", optimizer " << static_cast<int>(optimizer));
        check_study(study, draw_synthetic(study.data, 1));
      }
}

TEST_CASE("an epoch can be trained in pieces of any size and resumed at any batch with both engines") {
  for (const auto engine : {EngineKind::native, EngineKind::torch}) {
    const Study study = study_of(engine, OptimizerKind::adam);
    const OneTraining training(study, draw_synthetic(study.data, 1));
    const auto new_trainer = [&] {
      return engine == EngineKind::native ? make_native_trainer() : make_torch_trainer({-1, 1}, nullptr);
    };
    const auto whole_trainer = new_trainer();
    Epochs whole(*whole_trainer, training.task());
    const std::vector<double> losses = {whole.train_epoch(), whole.train_epoch(), whole.train_epoch()};
    for (const std::int64_t piece : {1, 2, 4, 5, 100}) {
      auto trainer = new_trainer();
      auto epochs = std::make_unique<Epochs>(*trainer, training.task());
      std::vector<double> found;
      while (found.size() < losses.size()) {
        if (const auto loss = epochs->train(piece)) found.push_back(*loss);
        ByteWriter state;
        epochs->save(state);
        trainer = new_trainer();
        epochs = std::make_unique<Epochs>(*trainer, training.task());
        ByteReader reader(state.bytes());
        epochs->restore(reader);
      }
      INFO("engine " << static_cast<int>(engine) << ", pieces of " << piece);
      CHECK(found == losses);
      CHECK(epochs->steps() == whole.steps());
    }
  }
}

TEST_CASE("a validation that takes too long after a stop is abandoned and repeated on resume") {
  for (const auto engine : {EngineKind::native, EngineKind::torch}) {
    Study study = study_of(engine, OptimizerKind::adam);
    study.data.rows = 5000;
    study.data.validation = 0.8;  // several batches in both engines
    study.train.epochs = 1;
    study.train.batch_size = 1000;  // one batch
    const DataSet data = draw_synthetic(study.data, 1);
    std::vector<std::string> states;
    Checkpoints checkpoints;
    checkpoints.interval_seconds = 0;
    checkpoints.load = [](const IterationKey&) { return std::nullopt; };
    checkpoints.save = [&](const IterationKey&, std::int64_t, const std::string& state, bool) {
      states.push_back(state);
    };
    const TrainedIteration left = train_with(study, data, checkpoints, [&] {
      if (states.empty()) return false;
      std::this_thread::sleep_for(std::chrono::duration<double>(1.2 * max_seconds_after_stop));
      return true;
    });
    INFO("engine " << static_cast<int>(engine));
    CHECK(left.result.iteration == -1);
    REQUIRE(states.size() == 1);  // before the validation
    checkpoints.interval_seconds = 1000;
    checkpoints.load = [&](const IterationKey&) { return states.back(); };
    CHECK(numbers_of(train_with(study, data, checkpoints)) == numbers_of(train_first(study, &data)));
  }
}

TEST_CASE("a checkpoint of another engine is set aside, and the iteration starts from the beginning") {
  const Study study = study_of(EngineKind::native, OptimizerKind::adam);
  const Study other = study_of(EngineKind::torch, OptimizerKind::adam);
  const DataSet data = draw_synthetic(study.data, 1);
  std::optional<std::string> state = all_states(other, data).back();
  Checkpoints checkpoints;
  checkpoints.load = [&](const IterationKey&) { return state; };
  checkpoints.set_aside = [&](const IterationKey&, const std::string&) { state.reset(); };
  CHECK(numbers_of(train_with(study, data, checkpoints)) == numbers_of(train_first(study, &data)));
  CHECK_FALSE(state.has_value());
}

TEST_CASE("a checkpoint of another iteration or number of epochs is set aside, whatever its number") {
  const Study study = study_of(EngineKind::native, OptimizerKind::adam);
  const DataSet data = draw_synthetic(study.data, 1);
  const auto check_refused = [&](const Study& other, std::int64_t iteration, const std::string& expected) {
    std::optional<std::string> state = all_states(other, data).front();
    std::string found;
    Checkpoints checkpoints;
    checkpoints.load = [&](const IterationKey&) { return state; };
    checkpoints.set_aside = [&](const IterationKey&, const std::string& reason) {
      found = reason;
      state.reset();
    };
    const auto trained = numbers_of(train_with(study, data, checkpoints, never, iteration));
    CHECK(found == expected);
    checkpoints.load = [](const IterationKey&) { return std::nullopt; };
    CHECK(trained == numbers_of(train_with(study, data, checkpoints, never, iteration)));
  };
  check_refused(study, 1, "it was written for another trial, repeat, fold or member");
  Study longer = study;
  longer.train.epochs = study.train.epochs + 1;
  check_refused(longer, 0, "it was written for another number of epochs");
}

TEST_CASE("a training in several stages gives the bits of one, whatever the schedule, with both engines") {
  for (const auto engine : {EngineKind::native, EngineKind::torch})
    for (const auto schedule : {Schedule::constant, Schedule::cosine, Schedule::plateau, Schedule::exponential})
      for (const bool has_curve : {false, true}) {
        Study study = study_of(engine, OptimizerKind::adam);
        study.train.epochs = 9;
        study.train.schedule = schedule;
        study.train.warmup_epochs = 0.7;
        study.train.plateau_patience = 0;
        study.run.curves = has_curve;
        const DataSet data = draw_synthetic(study.data, 1);
        const TrainedIteration whole = train_first(study, &data);
        Plan plan(study);
        Splits splits(study, data);
        std::optional<std::string> state;
        Checkpoints checkpoints;
        checkpoints.interval_seconds = 1000;
        checkpoints.load = [&](const IterationKey&) { return state; };
        checkpoints.save = [&](const IterationKey& training, std::int64_t, const std::string& saved, bool paused) {
          CHECK(training == IterationKey());
          CHECK(paused);
          state = saved;
        };
        const SettledStudy settled = test::settled(study);
        TrainingContext context{settled, plan, &data, &splits};
        context.checkpoints = &checkpoints;
        std::vector<EpochResult> epochs;
        TrainedIteration found;
        const std::int64_t ends[] = {1, 4, 9};
        for (std::int64_t number = 0; number < 3; ++number) {
          Stage stage = whole_stage(plan);
          stage.number = number;
          if (number > 0) stage.from_epoch = ends[number - 1];
          if (number < 2) stage.to_epoch = ends[number];
          plan.add(stage);
          const auto train = [&] {
            const std::int64_t first = plan.iterations_of(number).begin;  // one of two members
            make_engine(context, {-1, 1})
                ->train({{first, first + 1}}, {[&](TrainedIteration&& trained) { found = std::move(trained); }, never});
          };
          train();
          CHECK(found.result.epochs == ends[number]);
          epochs.insert(epochs.end(), found.epochs.begin(), found.epochs.end());
          const auto numbers = numbers_of(found);
          for (int kill = 0; number == 1 && kill < 2; ++kill) {  // jobs that were killed after the pause
            train();
            CHECK_FALSE(found.predictions.empty());
            CHECK(numbers_of(found) == numbers);
          }
        }
        found.epochs = epochs;
        INFO("engine " << static_cast<int>(engine) << ", schedule " << static_cast<int>(schedule));
        CHECK(epochs.size() == (has_curve ? 9 : 0));
        CHECK(numbers_of(found) == numbers_of(whole));
      }
}

namespace {

// Trains the first iteration of the stage after those of the plan.
void train_first_ahead(Engine& engine, Plan plan, const Stage& stage, const std::function<bool()>& stop_requested) {
  plan.add(stage);
  const std::int64_t first = plan.iterations_of(stage.number).begin;
  engine.train_ahead(plan, {{first, first + 1}}, stop_requested);
}

}  // namespace

TEST_CASE("a stage continues trainings that were trained ahead with the bits of one training, with both engines") {
  constexpr std::int64_t never_stops = 1'000'000;
  for (const auto engine : {EngineKind::native, EngineKind::torch})
    for (const double validation : {0.0, 0.2})
      for (const std::int64_t pieces : {std::int64_t{0}, std::int64_t{4}, std::int64_t{10}, never_stops}) {
        INFO("engine " << static_cast<int>(engine) << ", validation " << validation << ", pieces " << pieces);
        Study study = study_of(engine, OptimizerKind::adam);
        study.run.models = ModelsSaved::all;
        study.run.curves = pieces != 4;
        study.data.validation = validation;
        study.train.epochs = 9;
        if (validation > 0) study.train.schedule = Schedule::plateau;
        study.train.plateau_patience = 0;
        study.run.log_every = 1;  // pieces of one batch
        const DataSet data = draw_synthetic(study.data, 1);
        const TrainedIteration whole = train_first(study, &data);
        Plan plan(study);
        Splits splits(study, data);
        LossLog log(1, [](const std::string&) {});
        std::optional<std::string> state;
        std::vector<std::int64_t> saved_steps;
        Checkpoints checkpoints;
        checkpoints.interval_seconds = 1000;
        checkpoints.load = [&](const IterationKey&) { return state; };
        checkpoints.save = [&](const IterationKey&, std::int64_t steps, const std::string& saved, bool) {
          saved_steps.push_back(steps);
          state = saved;
        };
        const SettledStudy settled = test::settled(study);
        TrainingContext context{settled, plan, &data, &splits};
        context.checkpoints = &checkpoints;
        context.loss_log = &log;
        const auto lane_engine = make_engine(context, {-1, 1});
        std::vector<EpochResult> epochs;
        TrainedIteration found;
        const std::int64_t ends[] = {1, 4, 9};
        for (std::int64_t number = 0; number < 3; ++number) {
          Stage stage = whole_stage(plan);
          stage.number = number;
          if (number > 0) stage.from_epoch = ends[number - 1];
          if (number < 2) stage.to_epoch = ends[number];
          if (number > 0)
            for (int call = 0; call < 2; ++call) {  // the second one continues, or has nothing to do
              std::int64_t left = pieces;
              train_first_ahead(*lane_engine, plan, stage, [&] { return left-- <= 0; });
            }
          const std::int64_t all = whole.result.steps / 9 * ends[number];
          if (number > 0 && pieces == never_stops) CHECK(saved_steps.back() == all);
          plan.add(stage);
          const std::int64_t first = plan.iterations_of(number).begin;  // one of two members
          lane_engine->train({{first, first + 1}},
                             {[&](TrainedIteration&& trained) { found = std::move(trained); }, never});
          CHECK(found.result.epochs == ends[number]);
          epochs.insert(epochs.end(), found.epochs.begin(), found.epochs.end());
        }
        CHECK(std::is_sorted(saved_steps.begin(), saved_steps.end()));
        // The pauses after epochs 1 and 4, and what was trained ahead. A pause is not saved twice.
        if (pieces == 0) CHECK(saved_steps.size() == 2);
        if (pieces == 10) CHECK(saved_steps.size() >= 3);
        if (pieces == never_stops) CHECK(saved_steps.size() == 3);
        found.epochs = epochs;
        CHECK(found.predictions.empty() == (validation == 0));
        CHECK(numbers_of(found) == numbers_of(whole));
        CHECK(!found.network.parameters.empty());
        CHECK(found.network.parameters == whole.network.parameters);
      }
}

TEST_CASE("a stage that lost its result after a training was trained ahead repeats its end") {
  for (const std::int64_t pieces : {4, 1'000'000}) {
    Study study = study_of(EngineKind::native, OptimizerKind::adam);
    study.ensemble.members = 1;
    study.train.epochs = 4;
    study.run.log_every = 1;  // pieces of one batch
    const DataSet data = draw_synthetic(study.data, 1);
    Plan plan(study);
    Splits splits(study, data);
    LossLog log(1, [](const std::string&) {});
    std::vector<std::string> states;
    std::string reason;
    Checkpoints checkpoints;
    checkpoints.interval_seconds = 1000;
    checkpoints.load = [&](const IterationKey&) {
      return states.empty() ? std::nullopt : std::optional(states.back());
    };
    checkpoints.save = [&](const IterationKey&, std::int64_t, const std::string& saved, bool) {
      states.push_back(saved);
    };
    checkpoints.set_aside = [&](const IterationKey&, const std::string& why) {
      reason = why;
      states.pop_back();
    };
    const SettledStudy settled = test::settled(study);
    TrainingContext context{settled, plan, &data, &splits};
    context.checkpoints = &checkpoints;
    context.loss_log = &log;
    Stage first = whole_stage(plan), second = first;
    first.to_epoch = second.from_epoch = 2;
    second.number = 1;
    plan.add(first);
    const auto lane_engine = make_engine(context, {-1, 1});
    TrainedIteration found, again;
    lane_engine->train({{0, 1}}, {[&](TrainedIteration&& trained) { found = std::move(trained); }, never});
    std::int64_t left = pieces;
    train_first_ahead(*lane_engine, plan, second, [&] { return left-- <= 0; });
    CHECK(states.size() == 2);
    lane_engine->train({{0, 1}}, {[&](TrainedIteration&& trained) { again = std::move(trained); }, never});
    CHECK(reason == "it is from a later stage, before which this one lost its result");
    CHECK(found.result.epochs == 2);
    CHECK(numbers_of(again) == numbers_of(found));
  }
}

TEST_CASE("a diverging training that was trained ahead has the same result") {
  Study study = study_of(EngineKind::native, OptimizerKind::sgd);
  study.train.learning_rate = 1e30;
  study.ensemble.members = 1;
  const DataSet data = draw_synthetic(study.data, 1);
  const TrainedIteration whole = train_first(study, &data);
  REQUIRE(whole.result.status == IterationStatus::diverged);
  Plan plan(study);
  Splits splits(study, data);
  std::optional<std::string> state;
  Checkpoints checkpoints;
  checkpoints.load = [&](const IterationKey&) { return state; };
  checkpoints.save = [&](const IterationKey&, std::int64_t, const std::string& saved, bool) { state = saved; };
  const SettledStudy settled = test::settled(study);
  TrainingContext context{settled, plan, &data, &splits};
  context.checkpoints = &checkpoints;
  const auto lane_engine = make_engine(context, {-1, 1});
  plan.add(whole_stage(plan));
  lane_engine->train_ahead(plan, {{0, 1}}, never);
  REQUIRE(state.has_value());
  TrainedIteration found;
  lane_engine->train({{0, 1}}, {[&](TrainedIteration&& trained) { found = std::move(trained); }, never});
  CHECK(found.result.status == IterationStatus::diverged);
  CHECK(found.result.steps == whole.result.steps);
}

TEST_CASE("pieces grow until one takes a tenth of a second") {
  PieceSize piece;
  CHECK(piece.batches() == 1);
  piece.update(1, 0);
  CHECK(piece.batches() == 8);
  piece.update(8, 0.008);
  CHECK(piece.batches() == 64);
  piece.update(64, 0.064);
  CHECK(piece.batches() == 100);
  piece.update(3, 0.003);  // the last piece of an epoch
  CHECK(piece.batches() == 100);
  piece.update(100, 0.4);
  CHECK(piece.batches() == 25);
  piece.update(25, 1000);
  CHECK(piece.batches() == 1);
}

TEST_CASE("checkpoints include the running statistics of a batch norm") {
  Study study = study_of(EngineKind::torch, OptimizerKind::adam);
  study.model.kind = ModelKind::resnet18;
  study.model.hidden.reset();
  study.model.dropout = 0;
  study.data.rows = 20;
  study.data.columns = 3 * 8 * 8;
  study.data.image = {3, 8, 8};
  study.train.batch_size = 8;
  study.train.epochs = 2;
  check_study(study, draw_synthetic(study.data, 1));
}

TEST_CASE("checkpoints of an mlp include the running statistics of its batch norms, with both engines") {
  Study study = study_of(GENERATE(EngineKind::native, EngineKind::torch), OptimizerKind::adam);
  study.model.norm = Norm::batch;
  check_study(study, draw_synthetic(study.data, 1));
}

TEST_CASE("an invalid checkpoint fails the iteration, and an error while saving one ends the job") {
  Study study = study_of(EngineKind::native, OptimizerKind::adam);
  const DataSet data = draw_synthetic(study.data, 1);
  const std::string state = all_states(study, data).front();
  Checkpoints checkpoints;
  checkpoints.load = [&](const IterationKey&) { return state.substr(0, state.size() / 2); };
  checkpoints.save = [](const IterationKey&, std::int64_t, const std::string&, bool) {};
  CHECK(train_with(study, data, checkpoints).result.status == IterationStatus::failed);

  checkpoints.interval_seconds = 0;
  checkpoints.load = [](const IterationKey&) { return std::nullopt; };
  checkpoints.save = [](const IterationKey&, std::int64_t, const std::string&, bool) { throw RunError("no room"); };
  CHECK_THROWS_AS(train_with(study, data, checkpoints), DeviceError);
}
