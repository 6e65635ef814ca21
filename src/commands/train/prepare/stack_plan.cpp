// SPDX-License-Identifier: MIT
#include "commands/train/prepare/stack_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "engines/engine_choice.hpp"
#include "study/key_defaults.hpp"
#include "study/settings.hpp"
#include "training/stack_width.hpp"
#include "training/training_cost.hpp"
#include "training/training_loop.hpp"

namespace sheaf {
namespace {

constexpr double mebibyte = 1 << 20;

bool allows_stacks(const Study& study) {
  const bool shares_data = study.data.source == DataSource::file || study.data.draw == Draw::study;
  return shares_data && study.data.mode != DataMode::streamed && study.run.threads == 1;
}

// Calls use(shape of the stack, trial, engine) for trials that lanes with a GPU can train in stacks. `kind`:
// run.engine.
template <class Use>
void for_each_stack(const Plan& plan, const DataShape& shape, std::int64_t training_rows, AutoOr<EngineKind> kind,
                    const Use& use) {
  plan.for_each_distinct(decides_cost, [&](const Trial& trial, double) {
    if (!is_network(trial.model.kind)) return;
    const EngineEntry& engine = engine_of(trial, shape, kind, gpu_lane);
    if (const auto stack = shape_of_stack(engine, trial, shape, training_rows)) use(*stack, trial, engine);
  });
}

}  // namespace

// The rest is for the CUDA context, the workspace of cuBLAS, memory that the allocator of LibTorch cannot use, and what
// exists twice: CUDA graphs keep memory of their own for the values of a step.
double lane_bytes(double gpu_bytes, std::int64_t ranks, std::int64_t lanes, double data_bytes) {
  constexpr double usable = 0.6;
  const double of_rank = usable * gpu_bytes / static_cast<double>(ranks) - data_bytes;
  return std::max(0.0, of_rank / static_cast<double>(lanes));
}

std::optional<double> most_at_once(const Study& study) {
  const SearchOptions& search = study.search;
  if (!search.depends_on_results()) return std::nullopt;
  const std::int64_t fits = search.racing == Racing::none ? study.study.iterations * search.repeats * search.folds : 1;
  return static_cast<double>(batch_of(study)) * static_cast<double>(fits * study.ensemble.members);
}

std::int64_t most_in_time(const Study& study, const Plan& plan, const DataShape& shape, std::int64_t training_rows) {
  constexpr double usable = 0.5;
  const std::int64_t per_trial = plan.stage(0).per_trial();
  if (study.search.time == 0 || (per_trial == 1 && can_be_cut(study.train))) return max_stack;
  const std::int64_t least = std::max<std::int64_t>(2, next_power_of_two(per_trial));
  std::int64_t most = max_stack;
  for_each_stack(plan, shape, training_rows, EngineKind::by_device,
                 [&](const StackShape&, const Trial& trial, const EngineEntry& engine) {
                   TrialEstimate estimate =
                       estimate_trial(trial, shape, parameter_count(network_layout(trial.model, shape)), training_rows);
                   for (; most > least; most /= 2) {
                     estimate.together = most;
                     const double seconds = static_cast<double>(most) * engine.expected_seconds(estimate, gpu_lane);
                     if (seconds <= usable * static_cast<double>(study.search.time)) break;
                   }
                 });
  return most;
}

StackPlan stack_plan(const Study& study, const Plan& plan, const DataShape& shape, std::int64_t training_rows,
                     const GpuFacts& gpus) {
  if (gpus.lanes == 0 || !allows_stacks(study)) return {};
  const double models = std::min(static_cast<double>(plan.iteration_count()), most_at_once(study).value_or(1e18));
  const double of_lane = std::max(1.0, std::ceil(models / static_cast<double>(gpus.lanes)));
  if (study.run.stack) return {stack_size_of(study), of_lane};
  const auto most = static_cast<std::int64_t>(
      std::min(of_lane, static_cast<double>(most_in_time(study, plan, shape, training_rows))));
  const auto memory = static_cast<std::int64_t>(gpus.lane_bytes / mebibyte);
  if (most == 1 || memory == 0) return {{}, of_lane};
  return {{next_power_of_two(most), memory}, of_lane};
}

StackSize settled_stack(const Study& study, const Plan& plan, const DataShape& shape, std::int64_t training_rows,
                        const GpuFacts& gpus) {
  if (study.run.stack) return *study.run.stack;
  StackSize size = stack_plan(study, plan, shape, training_rows, gpus).size;
  if (!size.is_stack()) return {};
  std::int64_t widest = 1;
  for_each_stack(plan, shape, training_rows, study.run.engine,
                 [&](const StackShape& stack, const Trial&, const EngineEntry&) {
                   widest = std::max(widest, stack_width(stack, size));
                 });
  if (widest == 1) return {};
  size.most = widest;
  return size;
}

void require_stack_fits(const SettledStudy& settled, const Plan& plan, const DataShape& shape,
                        std::int64_t training_rows, const GpuFacts& gpus) {
  const StackSize size = stack_size_of(settled);
  if (gpus.lanes == 0 || size.memory_mib > 0 || !size.is_stack()) return;
  std::int64_t fitting = size.most;
  double needed = 0;
  for_each_stack(plan, shape, training_rows, settled->run.engine,
                 [&](const StackShape& stack, const Trial&, const EngineEntry&) {
                   fitting = std::min(fitting, most_that_fit(stack, size.most, gpus.lane_bytes));
                   needed = std::max(needed, stack_memory(stack).bytes(size.most));
                 });
  if (fitting == size.most) return;
  throw UsageError(fmt::format(
      "run.stack = {} does not fit into the memory of a GPU ({} for each lane, {} needed). {}", settled.stack().most,
      human_bytes(gpus.lane_bytes), human_bytes(needed),
      fitting > 1 ? fmt::format("Set run.stack to at most {}, or leave it out.", fitting) : "Leave out run.stack."));
}

std::string note_on_stacks(const SettledStudy& settled, const GpuFacts& gpus) {
  const StackSize size = stack_size_of(settled);
  if (gpus.lanes == 0 || !size.is_stack()) return "";
  return fmt::format("a lane with a GPU trains up to {} models of one shape together (run.stack = {})", size.most,
                     setting_text(settled, "run.stack"));
}

}  // namespace sheaf
