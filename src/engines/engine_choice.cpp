// SPDX-License-Identifier: MIT
#include "engines/engine_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "study/settings.hpp"

namespace sheaf {
namespace {

// The engine that run.engine selects; null if it leaves the choice open.
const EngineEntry* selected_engine(AutoOr<EngineKind> kind) {
  for (const EngineEntry& engine : engine_table())
    if (engine.kind == kind) return &engine;
  return nullptr;
}

// The engines that can train the trial, each with the reason why the one before it in the table, of those for its kind
// of model, cannot. If there is none, a choice without an engine, with the reason why the last one cannot.
std::vector<EngineChoice> fitting_engines(const Trial& trial, const DataShape& shape, LaneDevice device) {
  std::vector<EngineChoice> fitting;
  std::optional<std::string> reason;
  for (const EngineEntry& engine : engine_table()) {
    if (engine.trains_networks != is_network(trial.model.kind)) continue;
    auto refusal = engine.refusal(trial, shape, device);
    if (!refusal) fitting.push_back({&engine, std::exchange(reason, std::nullopt)});
    if (refusal) reason = std::move(refusal);
  }
  if (fitting.empty()) fitting.push_back({nullptr, std::move(reason)});
  return fitting;
}

EngineChoice first_fitting(const Trial& trial, const DataShape& shape, LaneDevice device) {
  return std::move(fitting_engines(trial, shape, device).front());
}

// What run.engine = auto demands of an engine besides that it can train the trial, if some engine has it. These are
// demands and not expected times, because they are about all lanes and trials of a run.
struct Demand {
  bool (*is_met)(const EngineEntry& engine);
  std::string reason;  // why other engines are not chosen
};

std::optional<Demand> demand_of(const RunOptions& run, double speedup, LaneDevice device) {
  const auto uses_gpus = [](const EngineEntry& engine) { return engine.uses_gpus; };
  if (device.on_gpu() && speedup != no_gpu && run.device == DeviceRequest::cuda)
    return Demand{uses_gpus, "run.device = cuda"};
  if (device.on_gpu() && speedup != no_gpu && run.stack && run.stack->is_stack())
    return Demand{uses_gpus, fmt::format("run.stack = {}", run.stack->most)};
  if (device.on_gpu() && speedup > 1)
    return Demand{uses_gpus, fmt::format("a GPU is expected to be {:.2g} times as fast as the cores", speedup)};
  if (run.threads > 1)
    return Demand{[](const EngineEntry& engine) { return engine.uses_threads; },
                  fmt::format("run.threads = {}", run.threads)};
  if (device.on_gpu())
    return Demand{[](const EngineEntry& engine) { return !engine.uses_gpus; },
                  "the cores are expected to be faster than a GPU"};
  return std::nullopt;
}

// Of several fitting engines, the one that meets the demand with the least expected time of an iteration. The estimate
// counts all rows, because those that are held out do not change the order of the engines.
EngineChoice fastest_engine(std::vector<EngineChoice> fitting, const std::optional<Demand>& demand, const Trial& trial,
                            const DataShape& shape, LaneDevice device) {
  const EngineEntry* const first = fitting.front().engine;
  const auto fails = [&](const EngineChoice& choice) { return demand && !demand->is_met(*choice.engine); };
  const bool all_fail = std::all_of(fitting.begin(), fitting.end(), fails);
  const bool first_fails = !all_fail && fails(fitting.front());
  if (!all_fail) fitting.erase(std::remove_if(fitting.begin(), fitting.end(), fails), fitting.end());
  constexpr std::int64_t parameters = 0;  // no influence on times
  const TrialEstimate estimate = estimate_trial(trial, shape, parameters, std::max<std::int64_t>(1, shape.rows));
  const auto seconds = [&](const EngineChoice& choice) { return choice.engine->expected_seconds(estimate, device); };
  EngineChoice best = *std::min_element(
      fitting.begin(), fitting.end(),
      [&](const EngineChoice& one, const EngineChoice& other) { return seconds(one) < seconds(other); });
  if (best.engine != first) best.reason = first_fails ? demand->reason : "it is expected to be the fastest";
  return best;
}

// The expected time with the fastest engine that uses the device; infinite if none can train the trial.
double min_seconds(const Trial& trial, const TrialEstimate& estimate, const DataShape& shape, LaneDevice device) {
  double seconds = std::numeric_limits<double>::infinity();
  for (const EngineEntry& engine : engine_table()) {
    if ((device.on_gpu() && !engine.uses_gpus) || engine.refusal(trial, shape, device)) continue;
    seconds = std::min(seconds, engine.expected_seconds(estimate, device));
  }
  return seconds;
}

}  // namespace

void GpuSpeedup::add(const Trial& trial, const TrialEstimate& estimate, double weight, double models) {
  const auto together = static_cast<double>(estimate.together);
  const double slots = together * std::max(1.0, std::ceil(models / together));  // of all stacks, one after another
  const double busy_share = estimate.together > 1 ? std::max(models, 1.0) / slots : 1;
  gpu_seconds_ += weight * min_seconds(trial, estimate, shape_, gpu_lane) / busy_share;
  core_seconds_ += weight * min_seconds(trial, estimate, shape_, core_lane) / static_cast<double>(cores_);
}

// "the model with model.kind = cnn", by the searched keys that decide its network.
std::string trial_text(const Plan& plan, const Trial& trial) {
  std::string values;
  for (std::size_t key = 0; key < trial.values.size(); ++key)
    if (const std::string& name = plan.searched_keys()[key]; decides_network(name))
      values += fmt::format("{}{} = {}", values.empty() ? " with " : ", ", name, trial.values[key]);
  return "the model" + values;
}

std::string described(std::string_view name, const std::optional<std::string>& reason) {
  return reason ? fmt::format("{} ({})", name, *reason) : std::string(name);
}

EngineChoice choose_engine(const Trial& trial, const DataShape& shape, const RunOptions& run, double speedup,
                           LaneDevice device) {
  const EngineEntry* first = &engine_table().front();
  if (const EngineEntry* selected = selected_engine(run.engine))
    return {selected, selected == first ? std::nullopt : std::optional(fmt::format("run.engine = {}", selected->name))};
  if (run.engine == EngineKind::by_device && device.on_gpu())
    if (const EngineEntry* engine = gpu_engine(trial, shape)) return {engine, "run.engine = by_device"};
  std::vector<EngineChoice> fitting = fitting_engines(trial, shape, device);
  if (run.engine != automatic || fitting.size() == 1) return std::move(fitting.front());
  return fastest_engine(std::move(fitting), demand_of(run, speedup, device), trial, shape, device);
}

const EngineEntry& engine_of(const Trial& trial, const DataShape& shape, AutoOr<EngineKind> settled,
                             LaneDevice device) {
  if (const EngineEntry* selected = selected_engine(settled)) return *selected;
  if (settled == EngineKind::by_device && device.on_gpu())
    if (const EngineEntry* engine = gpu_engine(trial, shape)) return *engine;
  const EngineEntry* fitting = first_fitting(trial, shape, device).engine;
  assert(fitting != nullptr);
  return *fitting;
}

const EngineEntry* gpu_engine(const Trial& trial, const DataShape& shape) {
  const auto& engines = engine_table();
  const auto found = std::find_if(engines.begin(), engines.end(), [&](const EngineEntry& engine) {
    return engine.uses_gpus && !engine.refusal(trial, shape, gpu_lane);
  });
  return found != engines.end() ? &*found : nullptr;
}

bool has_core_engine(const Trial& trial, const DataShape& shape) {
  const EngineEntry* fitting = first_fitting(trial, shape, gpu_lane).engine;
  return fitting != nullptr && !fitting->uses_gpus;
}

// If the trials have several engines, lanes follow the order of the table: choose_engine() must prefer the same ones
// then. Today it does, because the native engine is first and has the least expected time on cores.
EngineKind settled_engine(const Plan& plan, const DataShape& shape, const RunOptions& run, double speedup,
                          const std::vector<LaneDevice>& devices) {
  if (run.engine != automatic) return run.engine;
  std::set<const EngineEntry*> chosen;
  bool any_for_gpu = false;  // instead of the engine that trains the trial on cores
  plan.for_each_network([&](const Trial& trial) {
    for (const LaneDevice device : devices) {
      const EngineEntry* engine = choose_engine(trial, shape, run, speedup, device).engine;
      chosen.insert(engine);
      any_for_gpu = any_for_gpu || (device.on_gpu() && engine != nullptr && engine->uses_gpus &&
                                    engine != first_fitting(trial, shape, device).engine);
    }
  });
  chosen.erase(nullptr);  // require_engine() reports trials without an engine
  if (chosen.size() == 1) return (*chosen.begin())->kind;
  return any_for_gpu ? EngineKind::by_device : EngineKind::by_model;
}

std::optional<StackShape> shape_of_stack(const EngineEntry& engine, const Trial& trial, const DataShape& shape,
                                         std::int64_t training_rows) {
  if (engine.stack_refusal == nullptr || engine.stack_refusal(trial, shape)) return std::nullopt;
  return stack_shape(trial, network_layout(trial.model, shape), FeatureScaling{}, training_rows);
}

TrialEstimate with_stack(TrialEstimate estimate, const Trial& trial, const DataShape& shape, AutoOr<EngineKind> settled,
                         LaneDevice device, const StackSize& size, std::int64_t training_rows) {
  if (!is_network(trial.model.kind) || !size.is_stack()) return estimate;
  const auto stack = shape_of_stack(engine_of(trial, shape, settled, device), trial, shape, training_rows);
  const std::int64_t width = stack ? stack_width(*stack, size) : 1;
  if (width == 1) return estimate;
  estimate.together = width;
  estimate.needed_bytes = stack_memory(*stack).bytes(width);
  return estimate;
}

std::optional<std::string> stacking_obstacle(const Trial& trial, const DataShape& shape, AutoOr<EngineKind> settled,
                                             LaneDevice device) {
  const EngineEntry& engine = engine_of(trial, shape, settled, device);
  if (engine.stack_refusal == nullptr) return fmt::format("the engine is {}", engine.name);
  return engine.stack_refusal(trial, shape);
}

std::optional<std::string> stacking_obstacle(const Plan& plan, const DataShape& shape, AutoOr<EngineKind> settled,
                                             LaneDevice device) {
  bool any = false;
  std::optional<std::string> reason;
  plan.for_each_network([&](const Trial& trial) {
    const auto refusal = stacking_obstacle(trial, shape, settled, device);
    any = any || !refusal;
    if (!reason) reason = refusal;
  });
  return any ? std::nullopt : reason;
}

void require_stack(const Plan& plan, const DataShape& shape, const RunOptions& run,
                   const std::vector<LaneDevice>& devices) {
  if (!run.stack || !run.stack->is_stack()) return;
  std::string reasons;
  for (const LaneDevice device : devices) {
    const auto obstacle = stacking_obstacle(plan, shape, run.engine, device);
    if (!obstacle) return;
    if (reasons.empty()) reasons = *obstacle;
  }
  Study study;
  study.run = run;
  RunOptions with_torch = run;
  with_torch.engine = EngineKind::torch;
  const bool torch_can = can_train(plan, shape, with_torch, devices.front()) &&
                         !stacking_obstacle(plan, shape, EngineKind::torch, devices.front());
  throw UsageError(fmt::format(
      "run.stack = {} has no effect ({}). Set run.stack = auto{}.", setting_text(study, "run.stack"), reasons,
      torch_can ? ", or run.engine = torch (on cores, its stacks are slower than the native engine)" : ""));
}

bool can_train(const Plan& plan, const DataShape& shape, const RunOptions& run, LaneDevice device) {
  const EngineEntry* selected = selected_engine(run.engine);
  bool all = true;
  plan.for_each_network([&](const Trial& trial) {
    const EngineEntry* engine = selected != nullptr ? selected : first_fitting(trial, shape, device).engine;
    all = all && engine != nullptr && !engine->refusal(trial, shape, device);
  });
  return all;
}

void require_engine(const Plan& plan, const DataShape& shape, const RunOptions& run,
                    const std::vector<LaneDevice>& devices) {
  const EngineEntry* selected = selected_engine(run.engine);
  plan.for_each_network([&](const Trial& trial) {
    for (const LaneDevice device : devices) {
      const EngineChoice possible = first_fitting(trial, shape, device);
      require(possible.engine != nullptr,
              fmt::format(
                  "{} cannot be trained on {} ({}). Change its settings, or {}.", trial_text(plan, trial),
                  device.on_gpu() ? "a GPU" : "CPU cores", possible.reason.value_or(""),
                  device.on_gpu() ? "set run.device = cpu" : "set run.device = cuda to learn why a rank has no GPU"));
      const auto refusal = selected != nullptr ? selected->refusal(trial, shape, device) : std::nullopt;
      if (refusal)
        throw UsageError(fmt::format("run.engine = {} cannot train {} ({}). Set run.engine = auto.", selected->name,
                                     trial_text(plan, trial), *refusal));
    }
  });
}

}  // namespace sheaf
