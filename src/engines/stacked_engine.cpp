// SPDX-License-Identifier: MIT
#include "engines/stacked_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "core/log.hpp"
#include "core/text.hpp"
#include "data/splits.hpp"
#include "engines/engine_choice.hpp"
#include "engines/memory_engine.hpp"
#include "models/network_layout.hpp"
#include "training/iteration_failure.hpp"
#include "training/stack_width.hpp"
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

// The slots of the stacks of each shape: as many as planned, or fewer once a stack has lacked memory. A stack may come
// to have one slot: it rounds as a wider one. 0: models of this shape are trained without a stack.
class Widths {
 public:
  explicit Widths(const StackSize& size) : size_(size) {}

  std::int64_t of(const StackShape& shape) const {
    for (const auto& [narrowed, width] : narrowed_)
      if (narrowed == shape) return width;
    const std::int64_t planned = stack_width(shape, size_);
    return planned > 1 ? planned : 0;
  }

  // Returns the new width.
  std::int64_t halve(const StackShape& shape) {
    const std::int64_t width = of(shape) / 2;
    for (auto& [narrowed, narrow_width] : narrowed_)
      if (narrowed == shape) return narrow_width = width;
    narrowed_.emplace_back(shape, width);
    return width;
  }

 private:
  StackSize size_;
  std::vector<std::pair<StackShape, std::int64_t>> narrowed_;
};

// The stack that trains now.
struct Stack {
  Stack(const TrainingContext& context, const Waiting& first, std::unique_ptr<StackTrainer> of_shape)
      : engine(first.engine), shape(first.shape), trainer(std::move(of_shape)), trainings(context, *trainer) {}

  bool fits(const Waiting& waiting) const { return waiting.engine == engine && waiting.shape == shape; }

  const EngineEntry* engine;
  StackShape shape;
  std::unique_ptr<StackTrainer> trainer;
  StackedTrainings trainings;
};

class StackedEngine : public Engine {
 public:
  StackedEngine(const TrainingContext& context, LaneDevice device, const StackSize& size, StackFactory make_stack)
      : context_(context),
        device_(device),
        width_(size.most),
        widths_(size),
        make_stack_(std::move(make_stack)),
        shape_(shape_of(context.data, context.study->data)),
        inputs_(context_),
        one_by_one_(make_memory_engine(context, device)) {
    assert(context.data != nullptr && size.is_stack());
  }

  std::int64_t width() const override { return width_; }

  bool train(const std::vector<IndexRange>& claim, const EngineCalls& calls) override {
    claimed_.assign(claim.begin(), claim.end());
    for (prepare(calls); has_work() && !calls.stop_requested(); prepare(calls)) {
      if (!waiting_.empty()) train_stack(calls);
      train_alone(calls);
    }
    drop_work();  // left only if the job is stopping
    return !claim.empty();
  }

  void train_ahead(const Plan& plan, const std::vector<IndexRange>& iterations,
                   const std::function<bool()>& stop_requested) override {
    one_by_one_->train_ahead(plan, iterations, stop_requested);
  }

 private:
  bool has_work() const { return !waiting_.empty() || !alone_.empty(); }

  // Prepares iterations of the claim, as many as a stack and the next one need.
  void prepare(const EngineCalls& calls) {
    const auto most = static_cast<std::size_t>(2 * width_);
    while (!claimed_.empty() && waiting_.size() < most && !calls.stop_requested()) {
      IndexRange& range = claimed_.front();
      if (range.empty()) {
        claimed_.pop_front();
        continue;
      }
      const std::int64_t number = range.begin++;
      std::optional<Waiting> waiting;
      if (!failure_of([&] { waiting = waiting_of(number); }) && waiting)
        waiting_.push_back(std::move(*waiting));
      else
        alone_.push_back(number);  // which reports the failure
    }
  }

  // No value: the iteration is trained alone.
  std::optional<Waiting> waiting_of(std::int64_t number) const {
    const Iteration iteration = context_.plan.iteration(number);
    const Trial trial = context_.plan.trial(iteration.trial);
    const EngineEntry& engine = engine_of(trial, shape_, context_.study.engine(), device_);
    if (engine.stack_refusal == nullptr || engine.stack_refusal(trial, shape_)) return std::nullopt;
    IterationInput input = inputs_.of(iteration, trial);
    const std::vector<Layer> layers = network_layout(trial.model, shape_);
    const std::int64_t training_rows = input.split->training_rows.count();
    StackShape shape = stack_shape(trial, layers, scaling_for(layers, *input.scaling), training_rows);
    if (widths_.of(shape) == 0) return std::nullopt;
    return Waiting{iteration, trial, std::move(input), &engine, std::move(shape)};
  }

  // Trains the iterations that cannot be stacked, with all of the memory.
  void train_alone(const EngineCalls& calls) {
    if (!alone_.empty()) stack_.reset();
    for (; !alone_.empty() && !calls.stop_requested(); alone_.pop_front())
      one_by_one_->train({{alone_.front(), alone_.front() + 1}}, calls);
  }

  // Trains iterations with the shape of the first one that waits, until none is left or the stack fails. Those that
  // fail are tried once more: in a narrower stack if memory was too small, otherwise alone.
  void train_stack(const EngineCalls& calls) {
    const StackShape shape = waiting_.front().shape;
    std::vector<std::int64_t> again;
    if (widths_.of(shape) == 0) {  // since it was prepared
      alone_.push_back(waiting_.front().iteration.number);
      return waiting_.pop_front();
    }
    auto failure = begin_stack();
    if (failure) {
      again.push_back(waiting_.front().iteration.number);
      waiting_.pop_front();
    }
    while (!failure && fill(again, failure)) {
      EndedTrainings ended;
      failure = failure_of([&] { stack_->trainings.train(calls.stop_requested, ended); });
      if (ended.memory_failure) failure = ended.memory_failure;
      again.insert(again.end(), ended.failed.begin(), ended.failed.end());
      for (TrainedIteration& trained : ended.trained) calls.sink(std::move(trained));
      if (failure) break;
      if (calls.stop_requested())
        drop_work();
      else
        find_more(calls);
    }
    if (failure && stack_)
      for (const std::int64_t number : stack_->trainings.unfinished()) again.push_back(number);
    if (failure) stack_.reset();
    if (failure && narrow(shape, *failure, again)) return;
    alone_.insert(alone_.end(), again.begin(), again.end());
  }

  // After a failure: returns whether `again` wait for a narrower stack. The others are to be trained one by one.
  bool narrow(const StackShape& shape, const IterationFailure& failure, const std::vector<std::int64_t>& again) {
    const std::int64_t width = widths_.of(shape);
    if (!failure.lacks_memory) {
      log_rank(fmt::format("{} could not be trained together ({}): trained one by one",
                           counted(static_cast<std::int64_t>(again.size()), "model"), failure.message));
      return false;
    }
    const std::int64_t half = widths_.halve(shape);
    log_rank(fmt::format("a stack of {} lacks memory ({}): trying again with {}{}", counted(width, "model"),
                         failure.message,
                         half > 1    ? fmt::format("stacks of {}", half)
                         : half == 1 ? "stacks of one model"
                                     : "one model at a time, without a stack",
                         device_.on_gpu() || half == 0 ? "; results agree to rounding" : ""));
    if (half == 0) return false;
    for (auto number = again.rbegin(); number != again.rend(); ++number) claimed_.push_front({*number, *number + 1});
    return true;
  }

  // Keeps the last stack if it fits the first iteration that waits. Returns the reason if no stack can be made.
  std::optional<IterationFailure> begin_stack() {
    const Waiting& first = waiting_.front();
    if (stack_ && stack_->fits(first)) return std::nullopt;
    stack_.reset();  // frees its memory first
    const std::int64_t width = widths_.of(first.shape);
    return failure_of([&] { stack_.emplace(context_, first, make_stack_(*first.engine, first.shape, width)); });
  }

  // Puts iterations of the stack's shape into its free slots. Returns whether any slot is in use; false after a failure
  // for lack of memory.
  bool fill(std::vector<std::int64_t>& again, std::optional<IterationFailure>& memory_failure) {
    for (auto next = waiting_.begin(); next != waiting_.end() && stack_->trainings.free_slots() > 0;) {
      if (!stack_->fits(*next)) {
        ++next;
        continue;
      }
      const auto failure =
          failure_of([&] { stack_->trainings.begin(next->iteration, next->trial, std::move(next->input)); });
      if (failure) again.push_back(next->iteration.number);
      next = waiting_.erase(next);
      if (failure && failure->lacks_memory) {
        memory_failure = failure;
        return false;
      }
    }
    return !stack_->trainings.is_empty();
  }

  // Gets more work if slots are free, unless many other iterations wait already.
  void find_more(const EngineCalls& calls) {
    const std::int64_t room = stack_->trainings.free_slots();
    if (room == 0) return;
    if (claimed_.empty() && calls.more && waiting_.size() + alone_.size() < static_cast<std::size_t>(width_)) {
      const auto claim = calls.more(room);
      claimed_.assign(claim.begin(), claim.end());
    }
    prepare(calls);
  }

  void drop_work() {
    claimed_.clear();
    waiting_.clear();
    alone_.clear();
  }

  TrainingContext context_;
  LaneDevice device_;
  const std::int64_t width_;  // of the widest stacks
  Widths widths_;
  const StackFactory make_stack_;
  DataShape shape_;
  IterationInputs inputs_;
  std::unique_ptr<Engine> one_by_one_;
  std::deque<IndexRange> claimed_;  // iterations that are not prepared yet
  std::deque<Waiting> waiting_;
  std::deque<std::int64_t> alone_;  // iterations that are trained one by one
  std::optional<Stack> stack_;
};

// Results on cores do not depend on the width, and stacks that were planned for a GPU may be too large for them.
StackSize size_on_cores(StackSize size) {
  constexpr std::int64_t enough = 16;
  return size.memory_mib > 0 ? StackSize{std::min(size.most, enough), size.memory_mib} : size;
}

}  // namespace

std::unique_ptr<Engine> make_stacked_engine(const TrainingContext& context, LaneDevice device, const StackSize& size) {
  return make_stacked_engine(
      context, device, device.on_gpu() ? size : size_on_cores(size),
      [device, data = context.data](const EngineEntry& engine, const StackShape& shape, std::int64_t width) {
        return engine.make_stack_trainer(device, *data, shape, width);
      });
}

std::unique_ptr<Engine> make_stacked_engine(const TrainingContext& context, LaneDevice device, const StackSize& size,
                                            StackFactory make_stack) {
  return std::make_unique<StackedEngine>(context, device, size, std::move(make_stack));
}

}  // namespace sheaf
