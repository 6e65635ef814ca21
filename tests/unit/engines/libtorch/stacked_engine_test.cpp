// The engine that trains the iterations of a lane in stacks: claims, shapes, failures and stops.
// SPDX-License-Identifier: MIT
#include "engines/stacked_engine.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/native_stack.hpp"
#include "support/stackable_study.hpp"

using namespace sheaf;

namespace {

using Job = test::StackedJob;

// LibTorch trains it, because it has stacks.
Study study_of_torch(std::vector<SearchedKey> keys) {
  return test::stackable_study(EngineKind::torch, std::move(keys));
}

// When a stack fails, and how.
struct Failures {
  std::int64_t call = 0;             // of train(); 0: none
  std::int64_t width_that_fits = 0;  // a wider stack lacks memory in this call; 0: it has another error
  bool when_made = false, in_start = false;
  bool lacks_memory = width_that_fits > 0;
};

[[noreturn]] void fail(const Failures& failures) {
  if (failures.lacks_memory) throw MemoryError("CUDA out of memory");
  throw RunError("the device is full");
}

// Fails in one of its calls.
class FailingStack : public test::NativeStack {
 public:
  FailingStack(std::int64_t width, const Failures& failures)
      : NativeStack(width), failures_(failures), fails_(failures.width_that_fits < width) {
    if (fails_ && failures.when_made) fail(failures);
  }

  void start(std::int64_t slot, const TrainingTask& task) override {
    if (fails_ && failures_.in_start && slot == width() - 1) fail(failures_);
    NativeStack::start(slot, task);
  }

  void train(const std::vector<SlotRows>& rows, double* loss_sums) override {
    if (fails_ && calls() + 1 == failures_.call) fail(failures_);
    NativeStack::train(rows, loss_sums);
  }

 private:
  const Failures failures_;
  const bool fails_;
};

// An engine of stacks, by default of three slots, and the widths of those that it has made.
struct EngineOfStacks {
  explicit EngineOfStacks(Job& job, const Failures& failures = {}, const StackSize& size = {3})
      : context{job.study, job.plan, &job.data, &job.splits},
        engine(make_stacked_engine(context, {-1, 1}, size,
                                   [this, failures](const EngineEntry&, const StackShape&, std::int64_t width) {
                                     widths.push_back(width);
                                     return std::make_unique<FailingStack>(width, failures);
                                   })) {}

  TrainingContext context;
  std::vector<std::int64_t> widths;
  std::unique_ptr<Engine> engine;
};

// Trains all iterations of a job; each must finish once.
void train_all(const EngineOfStacks& of, const Job& job) {
  std::vector<IterationStatus> statuses(static_cast<std::size_t>(job.plan.iteration_count()));
  const auto sink = [&](TrainedIteration&& one) {
    CHECK(statuses.at(static_cast<std::size_t>(one.result.iteration)) == IterationStatus::missing);
    statuses.at(static_cast<std::size_t>(one.result.iteration)) = one.result.status;
  };
  of.engine->train({{0, job.plan.iteration_count()}}, {sink, [] { return false; }});
  for (const IterationStatus status : statuses) CHECK(status == IterationStatus::finished);
}

}  // namespace

TEST_CASE("a stacked engine trains each iteration of its claims once, in stacks of one shape after another") {
  Job job(study_of_torch({{"model.hidden", {"3", "5"}}, {"train.learning_rate", {"0.001", "0.01", "0.1"}}}));
  const std::int64_t count = job.plan.iteration_count();
  EngineOfStacks of(job);
  std::vector<std::int64_t> trained, left;
  for (std::int64_t number = 4; number < count; ++number) left.push_back(number);
  const auto more = [&](std::int64_t room) {
    std::vector<IndexRange> claim;
    for (; room > 0 && !left.empty(); --room, left.erase(left.begin())) claim.push_back({left[0], left[0] + 1});
    return claim;
  };
  const EngineCalls calls{[&](TrainedIteration&& one) { trained.push_back(one.result.iteration); },
                          [] { return false; }, more};
  CHECK(of.engine->train({{0, 2}, {2, 2}, {2, 4}}, calls));
  std::sort(trained.begin(), trained.end());
  REQUIRE(static_cast<std::int64_t>(trained.size()) == count);
  for (std::int64_t number = 0; number < count; ++number) CHECK(trained[static_cast<std::size_t>(number)] == number);
  CHECK(of.widths.size() >= 2);
  CHECK_FALSE(of.engine->train({}, calls));
}

TEST_CASE("iterations of a stack that fails are trained one by one") {
  Job job(study_of_torch({{"train.learning_rate", {"0.001", "0.01", "0.1"}}}));
  for (const Failures& failures : {Failures{0, 0, true}, Failures{1}, Failures{3}}) {
    INFO("call " << failures.call);
    EngineOfStacks of(job, failures);
    train_all(of, job);
    for (const std::int64_t width : of.widths) CHECK(width == 3);
  }
}

TEST_CASE("stacks that lack memory are halved until they fit, and others keep their width") {
  Job job(study_of_torch({{"model.hidden", {"3", "5"}}, {"train.learning_rate", {"0.001", "0.01", "0.1", "0.2"}}}));
  const std::vector<std::int64_t> of_two_shapes = {2, 2, 4, 4, 8, 8};
  for (Failures failures : {Failures{1}, Failures{3}, Failures{0, 0, true}, Failures{0, 0, false, true}}) {
    INFO("call " << failures.call << ", when made " << failures.when_made << ", in start " << failures.in_start);
    failures.width_that_fits = 2;
    failures.lacks_memory = true;
    EngineOfStacks of(job, failures, {8});
    train_all(of, job);
    std::sort(of.widths.begin(), of.widths.end());
    CHECK(of.widths == of_two_shapes);
  }
  EngineOfStacks narrow(job, {1, 3}, {3});
  train_all(narrow, job);
  CHECK(narrow.widths == std::vector<std::int64_t>{3, 3});
}

TEST_CASE("models of stacks that never have enough memory are trained one by one") {
  Job job(study_of_torch({{"train.learning_rate", {"0.001", "0.01", "0.1"}}}));
  EngineOfStacks of_one(job, {1, 1}, {4});  // a stack of one model fits
  train_all(of_one, job);
  CHECK(of_one.widths == std::vector<std::int64_t>{4, 2, 1});
  Failures always{1, 0};
  always.lacks_memory = true;
  EngineOfStacks of(job, always, {4});
  train_all(of, job);
  CHECK(of.widths == std::vector<std::int64_t>{4, 2, 1});
  EngineOfStacks planned(job, {}, {4, 1});  // one MiB: not even two models
  train_all(planned, job);
  CHECK(planned.widths.empty());
}

TEST_CASE("an error of what takes a result of a stack ends the training") {
  Job job(study_of_torch({{"train.learning_rate", {"0.001", "0.01", "0.1"}}}));
  EngineOfStacks of(job);
  const auto sink = [](TrainedIteration&&) { throw RunError("the disk is full"); };
  CHECK_THROWS_WITH(of.engine->train({{0, 3}}, {sink, [] { return false; }}), "the disk is full");
}

TEST_CASE("a stacked engine gets no more work after a stop") {
  Job job(study_of_torch({{"train.learning_rate", {"0.001", "0.01", "0.1"}}}));
  EngineOfStacks of(job);
  std::int64_t trained = 0;
  const auto more = [](std::int64_t) -> std::vector<IndexRange> { throw RunError("asked for more"); };
  const EngineCalls calls{[&](TrainedIteration&&) { ++trained; }, [&] { return trained > 0; }, more};
  CHECK(of.engine->train({{0, job.plan.iteration_count()}}, calls));
  CHECK(trained < job.plan.iteration_count());
}
