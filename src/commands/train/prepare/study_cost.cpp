// SPDX-License-Identifier: MIT
#include "commands/train/prepare/study_cost.hpp"

#include <algorithm>

#include "engines/engine_choice.hpp"
#include "engines/engine_table.hpp"
#include "models/network_layout.hpp"
#include "training/stack_width.hpp"

namespace sheaf {
namespace {

// The epochs that a search trains, divided by those of all iterations of its first stage trained to the end.
double trained_part(const std::vector<StageSize>& sizes, std::int64_t epochs) {
  if (sizes.size() == 1) return 1;  // the trials may have different numbers of epochs
  double trained = 0;
  for (const StageSize& size : sizes) {
    const std::int64_t end = size.to_epoch.value_or(epochs);
    trained += static_cast<double>(size.repeats.count()) *
               (static_cast<double>(size.new_trials.count()) * static_cast<double>(end) +
                static_cast<double>(size.continued) * static_cast<double>(end - size.from_epoch));
  }
  const StageSize& first = sizes.front();
  return trained / static_cast<double>(first.trials() * first.repeats.count()) / static_cast<double>(epochs);
}

double seconds_with(const ChosenEngine& engine, const TrialEstimate& estimate, LaneDevice device) {
  return engine.name == no_engine ? 0 : engine_named(engine.name.view()).expected_seconds(estimate, device);
}

}  // namespace

TrialEstimate estimate_of(const PreparedStudy& prepared, const Trial& trial) {
  const SettledStudy& study = prepared.study;
  const StudyData& data = prepared.data;
  const TrialEstimate alone = estimate_trial(trial, data.shape, parameters_of(data.networks, trial),
                                             training_rows_per_iteration(study, expected_rows(study->data, data.file)));
  const LaneDevice lane = prepared.gpu_lanes > 0 ? gpu_lane : core_lane;
  return with_stack(alone, trial, data.shape, study.engine(), lane, stack_size_of(study), prepared.facts.training_rows);
}

double expected_seconds(const IterationSeconds& lanes, double iterations) {
  const bool gpus_first = lanes.core_lanes == 0 || (lanes.gpu_lanes > 0 && lanes.on_gpu <= lanes.on_core);
  double left = iterations, rate = 0;  // lanes without an iteration; iterations per second
  const auto add = [&](std::int64_t count, double seconds) {
    const double used = std::min(left, static_cast<double>(count));
    if (used > 0 && seconds > 0) rate += used / seconds;
    left -= used;
  };
  add(gpus_first ? lanes.gpu_lanes : lanes.core_lanes, gpus_first ? lanes.on_gpu : lanes.on_core);
  add(gpus_first ? lanes.core_lanes : lanes.gpu_lanes, gpus_first ? lanes.on_core : lanes.on_gpu);
  return rate > 0 ? iterations / rate : 0;
}

StudyCost study_cost(const PreparedStudy& prepared, const Plan& plan, const std::vector<StageSize>& sizes) {
  const SettledStudy& study = prepared.study;
  StudyCost cost;
  bool is_known = study->search.has_trial_count();
  IterationSeconds& lanes = cost.lanes;
  lanes.gpu_lanes = prepared.gpu_lanes;
  lanes.core_lanes = prepared.ranks.lane_count() - prepared.gpu_lanes;
  const LaneDevice core{-1, static_cast<int>(study->run.threads)};
  double weights = 0;
  plan.for_each_distinct(decides_cost, [&](const Trial& trial, double weight) {
    const TrialEstimate estimate = estimate_of(prepared, trial);
    const TrialEngine engine = prepared.engine_of_trial(trial);
    cost.flops += weight * estimate.flops;
    cost.memory_bytes = std::max(cost.memory_bytes, estimate.needed_bytes);
    cost.checkpoint_bytes += weight * estimate.checkpoint_bytes;
    const double on_gpu = seconds_with(engine.on_gpu, estimate, gpu_lane);
    const double on_core = seconds_with(engine.on_cores, estimate, core);
    lanes.on_gpu += weight * on_gpu;
    lanes.on_core += weight * on_core;
    if (lanes.gpu_lanes > 0) cost.longest_seconds = std::max(cost.longest_seconds, on_gpu);
    if (lanes.core_lanes > 0) cost.longest_seconds = std::max(cost.longest_seconds, on_core);
    is_known = is_known && !is_user_module(trial.model.kind);
    weights += weight;
  });
  cost.iterations = static_cast<double>(plan.iteration_count()) * trained_part(sizes, study->train.epochs);
  if (plan.wants_refit()) cost.iterations += static_cast<double>(plan.members());  // as many steps
  cost.flops *= cost.iterations / weights;
  cost.checkpoint_bytes /= weights;
  lanes.on_gpu /= weights;
  lanes.on_core /= weights;
  if (const double seconds = expected_seconds(lanes, cost.iterations); is_known && seconds > 0) cost.seconds = seconds;
  return cost;
}

}  // namespace sheaf
