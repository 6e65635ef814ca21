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

// Fails in one of its calls.
class FailingStack : public test::NativeStack {
 public:
  FailingStack(std::int64_t width, std::int64_t failing_call) : NativeStack(width), failing_call_(failing_call) {}

  void train(const std::vector<SlotRows>& rows, double* loss_sums) override {
    if (calls() + 1 == failing_call_) throw RunError("the device is full");
    NativeStack::train(rows, loss_sums);
  }

 private:
  std::int64_t failing_call_;
};

// An engine of stacks of three slots, and what it has made.
struct EngineOfStacks {
  explicit EngineOfStacks(Job& job, std::int64_t failing_call = 0)
      : context{job.study, job.plan, &job.data, &job.splits},
        engine(make_stacked_engine(context, {-1, 1}, 3, [this, failing_call](const EngineEntry&, const StackShape&) {
          if (failing_call < 0) throw RunError("the device is full");
          ++stacks;
          return std::make_unique<FailingStack>(3, failing_call);
        })) {}

  TrainingContext context;
  std::int64_t stacks = 0;
  std::unique_ptr<Engine> engine;
};

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
  CHECK(of.stacks >= 2);
  CHECK_FALSE(of.engine->train({}, calls));
}

TEST_CASE("iterations of a stack that fails are trained one by one") {
  Job job(study_of_torch({{"train.learning_rate", {"0.001", "0.01", "0.1"}}}));
  for (const std::int64_t failing_call : {-1, 1, 3}) {
    INFO("call " << failing_call);
    EngineOfStacks of(job, failing_call);
    std::vector<IterationStatus> statuses(static_cast<std::size_t>(job.plan.iteration_count()));
    const auto sink = [&](TrainedIteration&& one) {
      CHECK(statuses.at(static_cast<std::size_t>(one.result.iteration)) == IterationStatus::missing);
      statuses.at(static_cast<std::size_t>(one.result.iteration)) = one.result.status;
    };
    of.engine->train({{0, job.plan.iteration_count()}}, {sink, [] { return false; }});
    for (const IterationStatus status : statuses) CHECK(status == IterationStatus::finished);
  }
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
