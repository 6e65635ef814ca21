// SPDX-License-Identifier: MIT
#include "commands/train/plan_cost.hpp"

#include <algorithm>

#include "engines/engine_table.hpp"

namespace sheaf {
namespace {

// The part of the epochs of all trials that a search trains.
double trained_part(const std::vector<StageSize>& sizes, std::int64_t epochs) {
  if (sizes.size() == 1) return 1;  // the trials may have different numbers of epochs
  double trained = 0;
  for (const StageSize& size : sizes) {
    const std::int64_t end = size.to_epoch.value_or(epochs);
    trained += static_cast<double>(size.new_trials.count()) * static_cast<double>(end) +
               static_cast<double>(size.continued) * static_cast<double>(end - size.from_epoch);
  }
  return trained / static_cast<double>(sizes.front().trials()) / static_cast<double>(epochs);
}

}  // namespace

PlanCost plan_cost(const Study& study, const Plan& plan, const std::vector<StageSize>& sizes,
                   const std::vector<LaneDevice>& devices, const EngineOfTrial& engine_of_trial,
                   const EstimateOfTrial& estimate_of) {
  PlanCost cost;
  double weights = 0;  // of trials with different costs
  plan.for_each_distinct(decides_cost, [&](const Trial& trial, double weight) {
    const TrialEstimate estimate = estimate_of(trial);
    const TrialEngine engine = engine_of_trial(trial);
    cost.is_known = cost.is_known && estimate.flops > 0;
    cost.mean_flops += weight * estimate.flops;
    cost.most_memory_bytes = std::max(cost.most_memory_bytes, estimate.memory_bytes);
    cost.mean_checkpoint_bytes += weight * estimate.checkpoint_bytes;
    for (const LaneDevice device : devices) {
      const ChosenEngine& chosen = device.on_gpu() ? engine.on_gpu : engine.on_cores;
      const LaneDevice lane{device.gpu, static_cast<int>(study.run.threads)};
      const double seconds = engine_named(chosen.name.view()).expected_seconds(estimate, lane);
      (device.on_gpu() ? cost.work.gpu_seconds : cost.work.core_seconds) += weight * seconds;
      cost.work.longest_seconds = std::max(cost.work.longest_seconds, seconds);
    }
    weights += weight;
  });
  for (double* sum : {&cost.mean_flops, &cost.mean_checkpoint_bytes, &cost.work.gpu_seconds, &cost.work.core_seconds})
    *sum /= weights;
  cost.iterations = static_cast<double>(plan.iteration_count()) * trained_part(sizes, study.train.epochs);
  if (plan.wants_refit()) cost.iterations += static_cast<double>(plan.members());  // as many steps
  cost.work.iterations = cost.iterations;
  return cost;
}

std::optional<TrainingTime> training_time(const Study& study, const PlanCost& cost, const JobShape& shape) {
  constexpr double margin = 3;  // estimates of the example studies were up to 2.4 times too low on a busy machine
  const auto limit = static_cast<double>(study.search.time);
  const bool is_limited = limit > 0;
  if (!cost.is_known || !study.search.has_trial_count())
    return is_limited ? std::optional(TrainingTime{limit, limit}) : std::nullopt;
  const double seconds = expected_seconds(cost.work, shape);
  if (!is_limited) return TrainingTime{seconds, margin * seconds};
  return TrainingTime{std::min(seconds, limit), std::min(margin * seconds, limit + margin * cost.work.longest_seconds)};
}

}  // namespace sheaf
