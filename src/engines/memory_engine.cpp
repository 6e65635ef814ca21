// SPDX-License-Identifier: MIT
#include "engines/memory_engine.hpp"

#include <map>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "engines/engine_choice.hpp"
#include "training/iteration_failure.hpp"
#include "training/memory_training.hpp"
#include "training/training_cost.hpp"

namespace sheaf {
namespace {

// Trains each iteration with a trainer of the engine for its trial. Trainers are made when first needed.
class MemoryEngine : public Engine {
 public:
  MemoryEngine(const TrainingContext& context, LaneDevice device)
      : context_(context), device_(device), shape_(shape_of(context.data, context.study->data)), inputs_(context) {}

  bool train(const std::vector<IndexRange>& claim, const EngineCalls& calls) override {
    for (const IndexRange& range : claim)
      for (std::int64_t number = range.begin; number < range.end && !calls.stop_requested(); ++number) {
        TrainedIteration trained = train_or_fail(number, calls.stop_requested);
        if (trained.result.status != IterationStatus::missing) calls.sink(std::move(trained));
      }
    return !claim.empty();
  }

  void train_ahead(const Plan& plan, const std::vector<IndexRange>& iterations,
                   const std::function<bool()>& stop_requested) override {
    for (const IndexRange& range : iterations)
      for (std::int64_t number = range.begin; number < range.end && !stop_requested(); ++number) {
        const auto failure = failure_of([&] {
          const Iteration iteration = plan.iteration(number);
          begin_trial(iteration);
          Trainer& trainer = trainer_of(*engine_);
          const IterationInput input = inputs_.of(iteration, trial_);
          const Stage& stage = plan.stage(iteration.stage);
          sheaf::train_ahead(context_, iteration, trial_, stage, input, trainer, stop_requested);
        });
        if (failure) trainers_.clear();
      }
  }

 private:
  // If the iteration fails, returns a result of status `failed`; other iterations get new trainers.
  TrainedIteration train_or_fail(std::int64_t number, const std::function<bool()>& stop_requested) {
    const auto start = Clock::now();
    TrainedIteration trained;
    for (std::int64_t attempt = 0; attempt <= context_.study->run.retries; ++attempt) {
      const auto failure = failure_of([&] { trained = train_one(number, stop_requested); });
      if (!failure) break;
      trained.message = failure->message;
      trained.result.iteration = number;
      trained.result.status = IterationStatus::failed;
      trainers_.clear();
    }
    trained.result.seconds += seconds_since(start);
    return trained;
  }

  TrainedIteration train_one(std::int64_t number, const std::function<bool()>& stop_requested) {
    const Iteration iteration = context_.plan.iteration(number);
    begin_trial(iteration);
    Trainer& trainer = trainer_of(*engine_);
    const IterationInput input = inputs_.of(iteration, trial_);
    return train_iteration(context_, iteration, trial_, input, trainer, stop_requested);
  }

  // Sets the trial of the iteration and its engine. Consecutive iterations often have the same trial.
  void begin_trial(const Iteration& iteration) {
    if (iteration.trial == trial_number_) return;
    trial_number_ = -1;  // in case of an exception
    trial_ = context_.plan.trial(iteration.trial);
    engine_ = &engine_of(trial_, shape_, context_.study.engine(), device_);
    trial_number_ = iteration.trial;
  }

  Trainer& trainer_of(const EngineEntry& engine) {
    auto& trainer = trainers_[&engine];
    try {
      if (!trainer) trainer = engine.make_trainer(device_, context_.data);
    } catch (const DeviceError&) {
      throw;
    } catch (const RunError& error) {
      throw DeviceError(error.what());
    }
    return *trainer;
  }

  TrainingContext context_;
  LaneDevice device_;
  DataShape shape_;
  IterationInputs inputs_;
  std::int64_t trial_number_ = -1;  // of the current iteration
  Trial trial_;
  const EngineEntry* engine_ = nullptr;  // engine for this trial
  std::map<const EngineEntry*, std::unique_ptr<Trainer>> trainers_;
};

}  // namespace

std::unique_ptr<Engine> make_memory_engine(const TrainingContext& context, LaneDevice device) {
  return std::make_unique<MemoryEngine>(context, device);
}

}  // namespace sheaf
