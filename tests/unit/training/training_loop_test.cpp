// SPDX-License-Identifier: MIT
#include "training/training_loop.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "study/metrics.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TrainOptions options_of(std::int64_t epochs, std::int64_t batch_size) {
  TrainOptions train = test::plain_training();
  train.epochs = epochs;
  train.batch_size = batch_size;
  return train;
}

// Runs the loop to its end and returns its requests: t for training of up to `max_batches` batches, v for a validation.
// The losses of epoch n sum to 10 n.
std::string walk(TrainingLoop& loop, std::int64_t max_batches) {
  std::string steps;
  for (; loop.next() != TrainingLoop::Next::end && steps.size() < 100;) {
    if (loop.next() == TrainingLoop::Next::validate) {
      loop.validated(static_cast<double>(loop.epochs()) / 2, {0.5}, {});
      steps += 'v';
    } else {
      const std::int64_t batches = std::min(max_batches, loop.batches_left());
      loop.trained(batches, 10 * static_cast<double>(loop.epochs() + 1));
      steps += 't';
    }
  }
  return steps;
}

TrainedIteration result_of(const TrainingLoop& loop) {
  TrainedIteration trained;
  trained.result.iteration = 7;
  loop.write_results(trained);
  return trained;
}

ByteWriter saved(const TrainingLoop& loop) {
  ByteWriter state;
  loop.save(state);
  return state;
}

}  // namespace

TEST_CASE("the loop trains its epochs in parts and validates after the selected ones") {
  const TrainOptions train = options_of(3, 10);  // three batches of 25 rows
  const auto walked = [&](ValidationEpochs validation, std::int64_t max_batches) {
    TrainingLoop loop(train, 25, validation, false);
    return walk(loop, max_batches);
  };
  CHECK(walked({ValidationEpochs::never}, 100) == "ttt");
  CHECK(walked({ValidationEpochs::last}, 100) == "tttv");
  CHECK(walked({1}, 100) == "tvtvtv");
  CHECK(walked({2}, 100) == "ttvtv");
  CHECK(walked({2}, 2) == "ttttvttv");
}

TEST_CASE("the loop's result has the losses, epochs and steps of the training") {
  TrainingLoop loop(options_of(2, 10), 25, {1}, true);
  CHECK(loop.steps_left() == 6);
  walk(loop, 2);
  CHECK(loop.steps_left() == 0);
  const TrainedIteration trained = result_of(loop);
  CHECK(trained.result.status == IterationStatus::finished);
  CHECK(trained.result.final_loss == 20.0 / 25);
  CHECK(trained.result.validation_loss == 1.0);
  CHECK(trained.result.validation_score == 0.5);
  CHECK(trained.result.epochs == 2);
  CHECK(trained.result.steps == 6);
  REQUIRE(trained.epochs.size() == 2);
  CHECK(trained.epochs[0].iteration == 7);
  CHECK(trained.epochs[0].training_loss == 10.0 / 25);
  CHECK(trained.epochs[0].validation_loss == 0.5);
  CHECK(trained.epochs[1].epoch == 1);
}

TEST_CASE("with reduction sum, the loop reports mean losses too") {
  TrainOptions train = options_of(1, 10);
  train.reduction = Reduction::sum;
  TrainingLoop loop(train, 25, {ValidationEpochs::last}, true);
  walk(loop, 1);
  const TrainedIteration trained = result_of(loop);
  CHECK(trained.result.final_loss == 10.0 / 25);
  CHECK(trained.result.validation_loss == 1.0 / 2);
  REQUIRE(trained.epochs.size() == 1);
  CHECK(trained.epochs[0].training_loss == 10.0 / 25);
  CHECK(trained.epochs[0].validation_loss == 1.0 / 2);
}

TEST_CASE("a loss that is not finite ends the training, and no earlier validation loss is reported") {
  TrainingLoop loop(options_of(3, 25), 25, {1}, true);
  loop.trained(1, 10);
  loop.validated(0.5, {0.5}, {});
  loop.trained(1, infinity);
  CHECK(loop.next() == TrainingLoop::Next::end);
  const TrainedIteration trained = result_of(loop);
  CHECK(trained.result.status == IterationStatus::diverged);
  CHECK(trained.result.epochs == 2);
  CHECK(std::isnan(trained.result.validation_loss));
  CHECK(std::isnan(trained.result.validation_score));
  CHECK(trained.epochs.size() == 2);
}

TEST_CASE("metrics are reported after the last validation and in the curve, and not after a divergence") {
  constexpr std::size_t metrics = 2;
  const auto loop_of = [&](ValidationEpochs validation) {
    return TrainingLoop(options_of(3, 25), 25, validation, true, metrics);
  };
  TrainingLoop loop = loop_of({2});
  loop.trained(1, 10);
  loop.trained(1, 10);
  loop.validated(0.5, {0.5, 0.25, 0.75}, {});
  loop.add_validation_seconds(0.125);
  TrainingLoop other = loop_of({2});
  const ByteWriter state = saved(loop);
  ByteReader reader(state.bytes());
  other.restore(reader);
  CHECK(reader.is_at_end());
  for (TrainingLoop* each : {&loop, &other}) {
    each->trained(1, 10);
    const TrainedIteration before = result_of(*each);  // the last epoch awaits its validation
    CHECK(before.metrics[1] == 0.75);
    each->validated(0.5, {0.5, 0.5, 1}, {});
    each->add_validation_seconds(0.25);
    const TrainedIteration trained = result_of(*each);
    CHECK(trained.result.validation_seconds == 0.375);
    REQUIRE(trained.metrics.size() == 2);
    CHECK(trained.metrics[0] == 0.5);
    CHECK(trained.metrics[1] == 1);
    REQUIRE(trained.epoch_metrics.size() == 6);
    CHECK(std::isnan(trained.epoch_metrics[1]));
    CHECK(std::vector<double>(trained.epoch_metrics.begin() + 2, trained.epoch_metrics.end()) ==
          std::vector<double>{0.25, 0.75, 0.5, 1});
  }
  TrainingLoop diverging = loop_of({1});
  diverging.trained(1, 10);
  diverging.validated(0.5, {0.5, 0.25, 0.75}, {});
  diverging.trained(1, infinity);
  const TrainedIteration trained = result_of(diverging);
  REQUIRE(trained.metrics.size() == 2);
  CHECK(std::isnan(trained.metrics[0]));
  CHECK(trained.epoch_metrics[1] == 0.75);
  CHECK(std::isnan(trained.epoch_metrics[3]));
  TrainingLoop without(options_of(3, 25), 25, {2}, true);
  ByteReader again(state.bytes());
  CHECK_THROWS_AS(without.restore(again), RunError);
}

TEST_CASE("a loop can be restored from any of its saved states") {
  const TrainOptions train = options_of(3, 10);
  TrainingLoop whole(train, 25, {2}, true);
  walk(whole, 1);
  TrainingLoop loop(train, 25, {2}, true);
  for (int step = 0; loop.next() != TrainingLoop::Next::end; ++step) {
    if (loop.next() == TrainingLoop::Next::validate)
      loop.validated(static_cast<double>(loop.epochs()) / 2, {0.5}, {});
    else
      loop.trained(1, 10 * static_cast<double>(loop.epochs() + 1));
    const ByteWriter state = saved(loop);
    TrainingLoop other(train, 25, {2}, true);
    ByteReader reader(state.bytes());
    other.restore(reader);
    CHECK(reader.is_at_end());
    CHECK(other.next() == loop.next());
    loop = other;
  }
  CHECK(saved(loop).bytes() == saved(whole).bytes());
}

TEST_CASE("a loop refuses a state of another training") {
  TrainingLoop loop(options_of(3, 10), 25, {1}, true);
  loop.trained(2, 1);
  const ByteWriter in_epoch = saved(loop);
  loop.trained(1, 1);
  const ByteWriter awaiting = saved(loop);
  const auto restore = [](TrainingLoop other, const std::string& state) {
    ByteReader reader(state);
    other.restore(reader);
  };
  CHECK_NOTHROW(restore(loop, in_epoch.bytes()));
  CHECK_THROWS_AS(restore({options_of(3, 13), 25, {1}, true}, in_epoch.bytes()), RunError);   // with two batches
  CHECK_THROWS_AS(restore({options_of(3, 10), 25, {2}, true}, awaiting.bytes()), RunError);   // no validation here
  CHECK_THROWS_AS(restore({options_of(3, 10), 25, {1}, false}, awaiting.bytes()), RunError);  // without curves
  CHECK_THROWS(restore(loop, awaiting.bytes().substr(0, awaiting.bytes().size() - 1)));
}

TEST_CASE("the learning rate follows the validation losses, also after a restore") {
  TrainOptions train = options_of(8, 2);
  train.learning_rate = 1;
  train.schedule = Schedule::plateau;
  train.plateau_patience = 0;
  train.plateau_factor = 0.5;
  TrainingLoop loop(train, 2, {1}, false);
  const auto epoch = [&](TrainingLoop& of, double loss) {
    of.trained(1, 1);
    of.validated(loss, {0.5}, {});
    return of.rate()(of.steps());
  };
  CHECK(epoch(loop, 3) == 1);
  CHECK(epoch(loop, 2) == 1);
  CHECK(epoch(loop, 2) == 0.5);
  ByteWriter state;
  loop.save(state);
  TrainingLoop restored(train, 2, {1}, false);
  ByteReader saved(state.bytes());
  restored.restore(saved);
  CHECK(restored.rate()(restored.steps()) == 0.5);
  CHECK(epoch(restored, 1.9) == 0.5);
  CHECK(epoch(restored, 1.95) == 0.25);
}

TEST_CASE("early stopping ends the loop; the validation of the best epoch is reported if its weights are kept") {
  for (const bool best_weights : {false, true}) {
    TrainOptions train = options_of(9, 25);
    train.patience = 2;
    train.best_weights = best_weights;
    TrainingLoop loop(train, 25, {1}, true);
    std::string counts;
    const double losses[] = {4, 2, 3, 5};
    for (const double loss : losses) {
      REQUIRE(loop.next() == TrainingLoop::Next::train);
      loop.trained(1, loss);
      counts += loop.validated(loss, {loss / 8}, {}) ? '1' : '0';
    }
    CHECK(counts == (best_weights ? "1100" : "1111"));
    TrainingLoop restored(train, 25, {1}, true);
    const ByteWriter state = saved(loop);
    ByteReader reader(state.bytes());
    restored.restore(reader);
    for (const TrainingLoop* each : {&loop, &restored}) {
      CHECK(each->next() == TrainingLoop::Next::end);
      CHECK(each->has_earlier_best() == best_weights);
      CHECK_FALSE(each->is_paused());
      const IterationResult result = result_of(*each).result;
      CHECK(result.status == IterationStatus::finished);
      CHECK(result.epochs == 4);
      CHECK(result.best_epoch == 1);
      CHECK(result.final_loss == 5.0 / 25);
      CHECK(result.validation_loss == (best_weights ? 2 : 5));
      CHECK(result.validation_score == (best_weights ? 0.25 : 0.625));
    }
  }
}

TEST_CASE("a divergence without a best epoch does not report the validation of an earlier epoch") {
  TrainOptions train = options_of(4, 25);
  train.best_weights = true;
  train.stop_on = MetricKind::roc_auc;
  TrainingLoop loop(train, 25, {1}, false);
  loop.trained(1, 1);
  loop.validated(0.5, {0.5}, {std::numeric_limits<double>::quiet_NaN(), {}});
  loop.trained(1, infinity);
  const TrainedIteration trained = result_of(loop);
  CHECK(trained.result.status == IterationStatus::diverged);
  CHECK(std::isnan(trained.result.validation_loss));
  CHECK(trained.message.empty());
}

TEST_CASE("early stopping can watch a metric") {
  TrainOptions train = options_of(9, 25);
  train.patience = 1;
  train.stop_on = MetricKind::accuracy;
  TrainingLoop loop(train, 25, {1}, false);
  loop.trained(1, 1);
  CHECK(loop.validated(0.5, {0.5}, {0.5, {}}));
  loop.trained(1, 1);
  loop.validated(4.5, {0.5}, {0.75, {}});
  CHECK(loop.next() == TrainingLoop::Next::train);
  loop.trained(1, 1);
  loop.validated(0.5, {0.5}, {0.75, {}});
  CHECK(loop.next() == TrainingLoop::Next::end);
  CHECK(result_of(loop).result.best_epoch == 1);
}

TEST_CASE("the loss of the stopping rows decides, and the results are those of the validation rows") {
  TrainOptions train = options_of(9, 25);
  train.patience = 2;
  train.best_weights = true;
  train.schedule = Schedule::plateau;
  train.plateau_patience = 0;
  TrainingLoop loop(train, 25, {1}, false);
  const double first_rate = loop.rate()(0);
  const double stopping_losses[] = {3, 2, 2.5, 4};
  for (int epoch = 0; epoch < 4; ++epoch) {
    loop.trained(1, 1);
    CHECK(loop.validated(9 - epoch, {0.5}, {{}, stopping_losses[epoch]}) == (epoch < 2));
    CHECK((loop.rate()(loop.steps()) < first_rate) == (epoch >= 2));  // plateau
  }
  CHECK(loop.next() == TrainingLoop::Next::end);
  CHECK(result_of(loop).result.best_epoch == 1);
  CHECK(result_of(loop).result.validation_loss == 8);
}

TEST_CASE("a metric that is not defined for the validation rows does not stop the training") {
  TrainOptions train = options_of(4, 25);
  train.patience = 1;
  train.best_weights = true;
  train.stop_on = MetricKind::roc_auc;
  TrainingLoop loop(train, 25, {1}, false);
  for (int epoch = 0; epoch < 4; ++epoch) {
    REQUIRE(loop.next() == TrainingLoop::Next::train);
    loop.trained(1, 1);
    CHECK(loop.validated(0.5, {0.5}, {std::numeric_limits<double>::quiet_NaN(), {}}));
  }
  CHECK(loop.next() == TrainingLoop::Next::end);
  const TrainedIteration trained = result_of(loop);
  CHECK(trained.result.best_epoch == -1);
  CHECK(trained.message.find("roc_auc (train.stop_on) is not defined") == 0);
}

TEST_CASE("a training that diverges after a good epoch is finished if it keeps the best weights") {
  TrainOptions train = options_of(9, 25);
  train.best_weights = true;
  for (const bool has_good_epoch : {true, false}) {
    TrainingLoop loop(train, 25, {1}, false);
    loop.trained(1, 10);
    loop.validated(has_good_epoch ? 0.5 : infinity, {0.5}, {});
    loop.trained(1, infinity);
    CHECK(loop.next() == TrainingLoop::Next::end);
    const TrainedIteration trained = result_of(loop);
    CHECK(trained.result.status == (has_good_epoch ? IterationStatus::finished : IterationStatus::diverged));
    CHECK(std::isinf(trained.result.final_loss));
    CHECK(trained.result.best_epoch == (has_good_epoch ? 0 : -1));
    CHECK(trained.message.empty() != has_good_epoch);
    if (has_good_epoch) CHECK(trained.result.validation_loss == 0.5);
  }
}

TEST_CASE("a training that stops early in a stage pauses there, and the next stage does not continue it") {
  TrainOptions train = options_of(9, 25);
  train.patience = 1;
  TrainingLoop loop(train, 25, {1}, false, {}, IndexRange{0, 6});
  for (const double loss : {2, 3}) {
    CHECK_FALSE(loop.is_paused());
    loop.trained(1, 1);
    loop.validated(loss / 2, {0.5}, {});
  }
  CHECK(loop.is_paused());
  TrainingLoop next(train, 25, {1}, false, {}, IndexRange{6, 9});
  const ByteWriter state = saved(loop);
  ByteReader reader(state.bytes());
  next.restore(reader);
  next.begin_stage();
  CHECK(next.next() == TrainingLoop::Next::end);
  CHECK(result_of(next).result.epochs == 2);
  CHECK(result_of(next).result.validation_loss == 1.5);
}

TEST_CASE("a training that is cut has the results of early stopping after its last epoch") {
  TrainOptions train = options_of(9, 10);  // three batches of 25 rows
  train.best_weights = true;
  TrainingLoop loop(train, 25, {1}, true);
  const auto train_epoch = [&](TrainingLoop& of, double loss) {
    of.trained(3, 25 * loss);
    CHECK(of.may_be_cut());  // after its validation
    of.validated(loss, {loss / 8}, {});
  };
  CHECK_FALSE(loop.may_be_cut());
  loop.trained(1, 7);
  CHECK_FALSE(loop.may_be_cut());  // it has no validation yet
  loop.trained(2, 100);
  loop.validated(4, {0.5}, {});
  train_epoch(loop, 2);
  train_epoch(loop, 3);
  CHECK(loop.has_earlier_best());
  TrainingLoop at_best(train, 25, {1}, true);
  train_epoch(at_best, 4);
  train_epoch(at_best, 2);
  CHECK_FALSE(at_best.has_earlier_best());
  for (TrainingLoop* each : {&loop, &at_best}) {
    REQUIRE(each->may_be_cut());
    each->trained(2, 1000);  // of the next epoch
    CHECK(each->has_earlier_best());
    REQUIRE(each->may_be_cut());
    each->cut();
    CHECK(each->next() == TrainingLoop::Next::end);
    CHECK_FALSE(each->may_be_cut());
    const std::int64_t epochs = each == &loop ? 3 : 2;
    const TrainedIteration trained = result_of(*each);
    const IterationResult& result = trained.result;
    CHECK(result.status == IterationStatus::cut);
    CHECK(result.epochs == epochs);
    CHECK(result.steps == 3 * epochs);
    CHECK(result.best_epoch == 1);
    CHECK(result.final_loss == static_cast<double>(epochs));
    CHECK(result.validation_loss == 2);
    CHECK(result.validation_score == 0.25);
    CHECK(trained.epochs.size() == static_cast<std::size_t>(epochs));
  }
}

TEST_CASE(
    "trainings are cut only if they keep their best epoch, and neither for a schedule to the last one nor a refit") {
  TrainOptions train = options_of(9, 25);
  CHECK_FALSE(can_be_cut(train));
  train.best_weights = true;
  CHECK(can_be_cut(train));
  for (const Schedule schedule : {Schedule::plateau, Schedule::step, Schedule::exponential}) {
    train.schedule = schedule;
    CHECK(can_be_cut(train));
  }
  for (const Schedule schedule : {Schedule::cosine, Schedule::linear, Schedule::one_cycle, Schedule::coslog}) {
    train.schedule = schedule;
    CHECK_FALSE(can_be_cut(train));
    TrainingLoop loop(train, 25, {1}, false);
    loop.trained(1, 2);
    loop.validated(2, {0.5}, {});
    CHECK_FALSE(loop.may_be_cut());
  }
  train.schedule = Schedule::constant;
  TrainingLoop ended(train, 25, {1}, false);
  walk(ended, 1);
  CHECK_FALSE(ended.may_be_cut());
  TrainingLoop refit(train, 25, {1}, false, 0, std::nullopt, Refit{0, 4, 1, {}});
  refit.trained(1, 2);
  refit.validated(2, {0.5}, {});
  CHECK_FALSE(refit.may_be_cut());
}

TEST_CASE("a refit ends after its steps, perhaps within an epoch, and does not validate or stop early") {
  TrainOptions train = options_of(6, 10);  // of the fits: epochs of two batches
  train.schedule = Schedule::cosine;
  train.learning_rate = 0.5;
  train.patience = 1;
  train.best_weights = true;
  const Refit refit{0, 4, 2, {}};  // eight steps; epochs of three batches of 25 rows
  const auto new_loop = [&] { return TrainingLoop(train, 25, {}, true, 0, std::nullopt, refit); };
  TrainingLoop loop = new_loop();
  CHECK(loop.steps_left() == 8);
  CHECK(std::as_const(loop).end_epoch() == 3);
  CHECK_FALSE(loop.is_paused());
  // The formula of the cosine over the twelve steps of the fits.
  for (std::int64_t step = 0; step < 8; ++step)
    CHECK(loop.rate()(step) == Approx(0.25 * (1 + std::cos(std::acos(-1.0) * static_cast<double>(step) / 12))));
  CHECK(walk(loop, 2) == "ttttt");  // of 2 + 1, 2 + 1 and 2 batches
  CHECK(loop.steps() == 8);
  CHECK_FALSE(loop.is_paused());
  const TrainedIteration trained = result_of(loop);
  CHECK(trained.result.status == IterationStatus::finished);
  CHECK(trained.result.epochs == 2);
  CHECK(trained.result.steps == 8);
  CHECK(trained.result.best_epoch == -1);
  CHECK(trained.result.final_loss == 30.0 / 20);  // of the rows of the last two batches
  CHECK(std::isnan(trained.result.validation_loss));
  CHECK(trained.epochs.size() == 2);
  CHECK(trained.message.empty());

  // A checkpoint within the last epoch continues; one of other learning rates or of more steps is refused.
  TrainingLoop begun = new_loop();
  for (int batch = 0; batch < 7; ++batch) begun.trained(1, 10);
  const ByteWriter state = saved(begun);
  const auto restored = [&](TrainingLoop other) {
    ByteReader reader(state.bytes());
    other.restore(reader);
    return other;
  };
  TrainingLoop other = restored(new_loop());
  CHECK(walk(other, 2) == "t");
  CHECK(result_of(other).result.steps == 8);
  CHECK_THROWS_AS(restored({train, 25, {}, true, 0, std::nullopt, Refit{0, 4, 3, {}}}), RunError);
  CHECK_THROWS_AS(restored({train, 25, {}, true, 0, std::nullopt, Refit{0, 3, 2, {}}}), RunError);
  TrainingLoop diverging = new_loop();
  diverging.trained(3, 10);
  diverging.trained(3, 10);
  diverging.trained(2, infinity);
  CHECK(result_of(diverging).result.status == IterationStatus::diverged);
}

TEST_CASE("a plateau records the epochs after which it reduced the rate") {
  TrainOptions train = options_of(5, 25);
  train.schedule = Schedule::plateau;
  train.plateau_patience = 0;
  TrainingLoop loop(train, 25, {1}, false);
  for (const double loss : {1.0, 1.0, 0.5, 0.5, 0.25}) {
    loop.trained(1, 10);
    loop.validated(loss, {0.5}, {});
  }
  CHECK(result_of(loop).rate_reductions == std::vector<std::int64_t>{1, 3});
}
