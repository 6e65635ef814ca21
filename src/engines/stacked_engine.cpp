// SPDX-License-Identifier: MIT
#include "engines/stacked_engine.hpp"

#include <algorithm>
#include <cassert>
#include <deque>
#include <optional>
#include <utility>

#include "data/splits.hpp"
#include "engines/engine_choice.hpp"
#include "engines/memory_engine.hpp"
#include "models/network_layout.hpp"
#include "training/iteration_failure.hpp"
#include "training/stack_shape.hpp"
#include "training/stacked_trainings.hpp"

namespace sheaf {
namespace {

// An iteration that waits for a slot.
struct Waiting {
  Iteration iteration;
  Trial trial;
  IterationInput input;
  const EngineEntry* engine;
  StackShape shape;
};

// The stack that trains now.
struct Stack {
  Stack(const TrainingContext& context, const Waiting& first, LaneDevice device, std::int64_t width)
      : engine(first.engine),
        shape(first.shape),
        trainer(first.engine->make_stack_trainer(device, *context.data, shape, width)),
        trainings(context, *trainer) {}

  bool fits(const Waiting& waiting) const { return waiting.engine == engine && waiting.shape == shape; }

  const EngineEntry* engine;
  StackShape shape;
  std::unique_ptr<StackTrainer> trainer;
  StackedTrainings trainings;
};

class StackedEngine : public Engine {
 public:
  StackedEngine(const TrainingContext& context, LaneDevice device, std::int64_t width)
      : context_(context),
        device_(device),
        width_(width),
        shape_(shape_of(context.data, context.study.data)),
        inputs_(context_),
        one_by_one_(make_memory_engine(context, device)) {
    assert(context.data != nullptr && width > 1);
  }

  std::int64_t width() const override { return width_; }

  bool train(const std::vector<IndexRange>& claim, const EngineCalls& calls) override {
    add(claim, calls);
    while (!waiting_.empty() && !calls.stop_requested()) train_stack(calls);
    waiting_.clear();  // the job is stopping
    return !claim.empty();
  }

  void train_ahead(const Plan& plan, const std::vector<IndexRange>& iterations,
                   const std::function<bool()>& stop_requested) override {
    one_by_one_->train_ahead(plan, iterations, stop_requested);
  }

 private:
  // Adds the iterations of a claim that can be stacked to those that wait, and trains the others.
  void add(const std::vector<IndexRange>& claim, const EngineCalls& calls) {
    for (const IndexRange& range : claim)
      for (std::int64_t number = range.begin; number < range.end && !calls.stop_requested(); ++number) {
        std::optional<Waiting> waiting;
        if (!failure_of([&] { waiting = waiting_of(number); }) && waiting)
          waiting_.push_back(std::move(*waiting));
        else
          train_alone(number, calls);  // which reports the failure
      }
  }

  // No value: the iteration cannot be stacked.
  std::optional<Waiting> waiting_of(std::int64_t number) const {
    const Iteration iteration = context_.plan.iteration(number);
    const Trial trial = context_.plan.trial(iteration.trial);
    const EngineEntry& engine = engine_of(trial, shape_, context_.study.run.engine, device_);
    if (engine.stack_refusal == nullptr || engine.stack_refusal(trial, shape_)) return std::nullopt;
    IterationInput input = inputs_.of(iteration, trial);
    const std::vector<Layer> layers = network_layout(trial.model, shape_);
    StackShape shape =
        stack_shape(trial, layers, scaling_for(layers, *input.scaling), input.split->training_rows.count());
    return Waiting{iteration, trial, std::move(input), &engine, std::move(shape)};
  }

  void train_alone(std::int64_t number, const EngineCalls& calls) { one_by_one_->train({{number, number + 1}}, calls); }

  // Trains iterations with the shape of the first one that waits, until none is left.
  void train_stack(const EngineCalls& calls) {
    std::vector<std::int64_t> again;  // iterations that are tried once more, alone
    if (!stack_ || !stack_->fits(waiting_.front())) {
      stack_.reset();  // frees its memory first
      if (failure_of([&] { stack_.emplace(context_, waiting_.front(), device_, width_); })) {
        again.push_back(waiting_.front().iteration.number);
        waiting_.pop_front();
      }
    }
    while (stack_) {
      begin(again);
      if (stack_->trainings.is_empty()) break;
      const auto failure = failure_of([&] {
        for (const UnfinishedIteration& one : stack_->trainings.train(calls.sink, calls.stop_requested))
          again.push_back(one.number);
      });
      if (failure) {
        for (const std::int64_t number : stack_->trainings.unfinished()) again.push_back(number);
        stack_.reset();
      } else if (waiting_.empty() && calls.more && !calls.stop_requested() && stack_->trainings.free_slots() > 0) {
        add(calls.more(stack_->trainings.free_slots()), calls);
      }
      if (calls.stop_requested()) waiting_.clear();
    }
    for (const std::int64_t number : again)
      if (!calls.stop_requested()) train_alone(number, calls);
  }

  // Puts iterations of the stack's shape into its free slots.
  void begin(std::vector<std::int64_t>& again) {
    for (auto next = waiting_.begin(); next != waiting_.end() && stack_->trainings.free_slots() > 0;) {
      if (!stack_->fits(*next)) {
        ++next;
        continue;
      }
      if (failure_of([&] { stack_->trainings.begin(next->iteration, next->trial, std::move(next->input)); }))
        again.push_back(next->iteration.number);
      next = waiting_.erase(next);
    }
  }

  TrainingContext context_;
  LaneDevice device_;
  const std::int64_t width_;
  DataShape shape_;
  IterationInputs inputs_;
  std::unique_ptr<Engine> one_by_one_;
  std::deque<Waiting> waiting_;
  std::optional<Stack> stack_;
};

}  // namespace

std::unique_ptr<Engine> make_stacked_engine(const TrainingContext& context, LaneDevice device, std::int64_t width) {
  return std::make_unique<StackedEngine>(context, device, width);
}

}  // namespace sheaf
