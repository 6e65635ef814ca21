// Trainings in the slots of a stack compared with the same ones alone.
// SPDX-License-Identifier: MIT
#include "training/stacked_trainings.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "support/catch.hpp"
#include "support/native_stack.hpp"
#include "support/stackable_study.hpp"

using namespace sheaf;

namespace {

EndedTrainings train_once(StackedTrainings& trainings, const std::function<bool()>& stop_requested) {
  EndedTrainings ended;
  trainings.train(stop_requested, ended);
  return ended;
}

// Trials that differ in what may differ in a stack: rate, epochs, patience and fold.
Study study_of_trials() {
  return test::stackable_study(EngineKind::native,
                               {{"train.learning_rate", {"0.3", "0.001", "0.01"}}, {"train.epochs", {"1", "6", "3"}}});
}

// What a result says, except for times.
std::vector<double> numbers_of(const TrainedIteration& trained) {
  const IterationResult& result = trained.result;
  std::vector<double> numbers = {result.final_loss,
                                 result.validation_loss,
                                 result.validation_score,
                                 static_cast<double>(result.best_epoch),
                                 static_cast<double>(result.epochs),
                                 static_cast<double>(result.steps),
                                 static_cast<double>(result.status)};
  for (const EpochResult& epoch : trained.epochs)
    for (const double value : {epoch.training_loss, epoch.validation_loss, epoch.validation_score})
      numbers.push_back(value);
  numbers.insert(numbers.end(), trained.network.parameters.begin(), trained.network.parameters.end());
  for (double& number : numbers)
    if (std::isnan(number)) number = -1e300;  // equal to others
  return numbers;
}

using Numbers = std::map<std::int64_t, std::vector<double>>;

struct Job : test::StackedJob {
  using StackedJob::StackedJob;

  Numbers alone() {
    Numbers numbers;
    for (TrainedIteration& trained : test::train_claims(study, &data, {{0, plan.iteration_count()}}))
      numbers[trained.result.iteration] = numbers_of(trained);
    return numbers;
  }

  // Trains the iterations that have no numbers yet, until the stack has trained `most_pieces` pieces.
  void train(std::int64_t width, Numbers& numbers, std::int64_t most_pieces = 1000000) {
    TrainingContext context{study, plan, &data, &splits};
    context.checkpoints = checkpoints ? &*checkpoints : nullptr;
    test::NativeStack stack(width, pause);
    StackedTrainings trainings(context, stack);
    const IterationInputs inputs(context);
    std::int64_t next = 0;
    const auto stop_requested = [&] { return stack.calls() >= most_pieces; };
    do {
      for (; trainings.free_slots() > 0 && next < plan.iteration_count() && !stop_requested(); ++next) {
        if (numbers.count(next) > 0) continue;
        const Iteration iteration = plan.iteration(next);
        const Trial trial = plan.trial(iteration.trial);
        trainings.begin(iteration, trial, inputs.of(iteration, trial));
      }
      const EndedTrainings ended = train_once(trainings, stop_requested);
      CHECK(ended.failed.empty());
      for (const TrainedIteration& trained : ended.trained) numbers[trained.result.iteration] = numbers_of(trained);
    } while (!trainings.is_empty() || (next < plan.iteration_count() && !stop_requested()));
  }

  std::optional<Checkpoints> checkpoints;
  std::chrono::milliseconds pause{};
};

}  // namespace

TEST_CASE("trainings in a stack have the results of trainings alone, whatever the number of slots") {
  Job job(study_of_trials());
  const Numbers alone = job.alone();
  REQUIRE(alone.size() == 18);
  for (const std::int64_t width : {1, 2, 5, 40}) {
    INFO(width << " slots");
    Numbers stacked;
    job.train(width, stacked);
    CHECK(stacked == alone);
  }
}

TEST_CASE("a stack that is stopped again and again continues all of its trainings from checkpoints") {
  Job job(study_of_trials());
  const Numbers alone = job.alone();
  std::map<std::int64_t, std::string> states;  // by trial and repeat
  const auto name = [](const IterationKey& key) { return key.trial * 1000 + key.repeat; };
  job.pause = std::chrono::milliseconds(60);  // a stop does not wait for the rest
  job.checkpoints.emplace();
  job.checkpoints->interval_seconds = 1000;
  job.checkpoints->load = [&](const IterationKey& key) {
    const auto found = states.find(name(key));
    return found == states.end() ? std::nullopt : std::optional(found->second);
  };
  job.checkpoints->set_aside = [](const IterationKey&, const std::string& reason) { FAIL(reason); };
  job.checkpoints->save = [&](const IterationKey& key, std::int64_t, const std::string& state, bool) {
    states[name(key)] = state;
  };
  Numbers stacked;
  std::int64_t jobs = 0;
  for (; stacked.size() < alone.size(); ++jobs) {
    REQUIRE(jobs < 200);
    job.train(4, stacked, 3 + jobs % 5);
  }
  CHECK(jobs > 1);
  CHECK_FALSE(states.empty());
  CHECK(stacked == alone);
}

namespace {

// Each evaluation takes longer than what may go on after a stop.
class SlowStack : public test::NativeStack {
 public:
  using NativeStack::NativeStack;

  void evaluate(std::vector<SlotEvaluation>& evaluations,
                const std::function<bool(std::int64_t slot)>& should_stop) override {
    std::set<std::int64_t> stopped;
    for (int wait = 0; wait < 4; ++wait) {
      for (const SlotEvaluation& each : evaluations)
        if (should_stop(each.slot)) stopped.insert(each.slot);
      if (stopped.size() * 2 == evaluations.size()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    NativeStack::evaluate(evaluations, [&](std::int64_t slot) { return stopped.count(slot) > 0; });
  }
};

}  // namespace

TEST_CASE("a stop interrupts a long validation, but not the one after which the training is cut") {
  Study study = study_of_trials();
  study.search.keys.clear();
  study.search.repeats = 1;
  Job job(study);
  const bool is_cut = GENERATE(false, true);
  Checkpoints checkpoints;
  std::int64_t saved = 0;
  checkpoints.load = [](const IterationKey&) { return std::nullopt; };
  checkpoints.save = [&](const IterationKey&, std::int64_t, const std::string&, bool) { ++saved; };
  TrainingContext context{job.study, job.plan, &job.data, &job.splits};
  context.checkpoints = &checkpoints;
  bool stops = false;
  context.is_cut = [&](std::int64_t, std::int64_t epochs) { return is_cut && epochs >= 2; };
  SlowStack stack(1);
  StackedTrainings trainings(context, stack);
  const IterationInputs inputs(context);
  const Iteration iteration = job.plan.iteration(0);
  const Trial trial = job.plan.trial(iteration.trial);
  trainings.begin(iteration, trial, inputs.of(iteration, trial));
  std::vector<IterationStatus> results;
  for (int calls = 0; calls < 20 && !trainings.is_empty(); ++calls) {
    const auto stop_requested = [&] { return stops; };
    for (const TrainedIteration& trained : train_once(trainings, stop_requested).trained)
      results.push_back(trained.result.status);
    stops = stops || stack.calls() >= 2;
  }
  CHECK(trainings.is_empty());
  CHECK(results == (is_cut ? std::vector{IterationStatus::cut} : std::vector<IterationStatus>{}));
  CHECK((saved > 0) == !is_cut);
}

TEST_CASE("a stop interrupts the validations of a call except those after which the training is cut") {
  Study study = study_of_trials();
  study.search.keys.clear();
  Job job(study);
  Checkpoints checkpoints;
  std::vector<std::int64_t> saved;
  checkpoints.load = [](const IterationKey&) { return std::nullopt; };
  checkpoints.save = [&](const IterationKey& key, std::int64_t, const std::string&, bool) {
    saved.push_back(key.repeat);
  };
  TrainingContext context{job.study, job.plan, &job.data, &job.splits};
  context.checkpoints = &checkpoints;
  context.is_cut = [](std::int64_t iteration, std::int64_t epochs) { return iteration == 1 && epochs >= 2; };
  SlowStack stack(2);
  StackedTrainings trainings(context, stack);
  const IterationInputs inputs(context);
  for (const std::int64_t number : {0, 1}) {
    const Iteration iteration = job.plan.iteration(number);
    const Trial trial = job.plan.trial(iteration.trial);
    trainings.begin(iteration, trial, inputs.of(iteration, trial));
  }
  bool stops = false;
  std::vector<std::int64_t> results;
  for (int calls = 0; calls < 20 && !trainings.is_empty(); ++calls) {
    for (const TrainedIteration& trained : train_once(trainings, [&] { return stops; }).trained) {
      CHECK(trained.result.status == IterationStatus::cut);
      results.push_back(trained.result.iteration);
    }
    stops = stops || stack.calls() >= 2;
  }
  CHECK(trainings.is_empty());
  CHECK(results == std::vector<std::int64_t>{1});
  CHECK(saved == std::vector<std::int64_t>{0});
}

TEST_CASE("validations of several trainings take no longer after a stop than one") {
  Study study = study_of_trials();
  study.search.keys = {{"train.learning_rate", {"0.001", "0.01", "0.02", "0.03"}}};
  Job job(study);
  Checkpoints checkpoints;
  std::int64_t saved = 0;
  checkpoints.load = [](const IterationKey&) { return std::nullopt; };
  checkpoints.save = [&](const IterationKey&, std::int64_t, const std::string&, bool) { ++saved; };
  TrainingContext context{job.study, job.plan, &job.data, &job.splits};
  context.checkpoints = &checkpoints;
  SlowStack stack(4);
  StackedTrainings trainings(context, stack);
  const IterationInputs inputs(context);
  for (std::int64_t number = 0; number < 4; ++number) {
    const Iteration iteration = job.plan.iteration(2 * number);
    const Trial trial = job.plan.trial(iteration.trial);
    trainings.begin(iteration, trial, inputs.of(iteration, trial));
  }
  const auto start = Clock::now();
  while (!trainings.is_empty()) CHECK(train_once(trainings, [] { return true; }).trained.empty());
  CHECK(seconds_since(start) < 4 * 0.25);  // each validation alone would be interrupted after that
  CHECK(saved == 4);
}

namespace {

// Notes the slots of each evaluation.
class NotingStack : public test::NativeStack {
 public:
  using NativeStack::NativeStack;

  void evaluate(std::vector<SlotEvaluation>& evaluations,
                const std::function<bool(std::int64_t slot)>& should_stop) override {
    evaluated.emplace_back();
    for (const SlotEvaluation& each : evaluations) evaluated.back().insert(each.slot);
    NativeStack::evaluate(evaluations, should_stop);
  }

  std::vector<std::set<std::int64_t>> evaluated;  // of each call
};

}  // namespace

TEST_CASE("trainings that end an epoch together are validated together, and only those that need it") {
  Study study = study_of_trials();
  study.search.keys = {{"train.epochs", {"2", "1"}}};  // two repeats of each
  study.train.patience = 0;
  study.train.best_weights = false;
  study.run.curves = false;
  Job job(study);
  const TrainingContext context{job.study, job.plan, &job.data, &job.splits};
  NotingStack stack(4);
  StackedTrainings trainings(context, stack);
  const IterationInputs inputs(context);
  for (std::int64_t number = 0; number < job.plan.iteration_count(); ++number) {
    const Iteration iteration = job.plan.iteration(number);
    const Trial trial = job.plan.trial(iteration.trial);
    trainings.begin(iteration, trial, inputs.of(iteration, trial));
  }
  std::size_t trained = 0;
  while (!trainings.is_empty()) trained += train_once(trainings, [] { return false; }).trained.size();
  CHECK(trained == 4);
  CHECK(stack.evaluated == std::vector<std::set<std::int64_t>>{{2, 3}, {0, 1}});
}
