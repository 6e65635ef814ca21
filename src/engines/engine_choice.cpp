// SPDX-License-Identifier: MIT
#include "engines/engine_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "core/error.hpp"

namespace sheaf {
namespace {

// The engine that run.engine selects; null if it leaves the choice open.
const EngineEntry* selected_engine(EngineKind kind) {
  for (const EngineEntry& engine : engine_table())
    if (engine.kind == kind) return &engine;
  return nullptr;
}

// The first engine that can train the trial, and the reason why the one before it, of those for its kind of model,
// cannot. If there is none, the reason why the last one cannot.
EngineChoice first_fitting(const Trial& trial, const DataShape& shape, LaneDevice device) {
  EngineChoice choice{nullptr, std::nullopt};
  for (const EngineEntry& engine : engine_table()) {
    if (engine.trains_networks != is_network(trial.model.kind)) continue;
    auto refusal = engine.refusal(trial, shape, device);
    if (!refusal) return {&engine, std::move(choice.reason)};
    choice.reason = std::move(refusal);
  }
  return choice;
}

// The reason why run.engine = auto selects LibTorch although the native engine can train the trial.
std::optional<std::string> reason_for_torch(const RunOptions& run, double speedup, LaneDevice device) {
  const bool required = speedup != no_gpu && run.device == DeviceRequest::cuda;
  if ((required || speedup > 1) && !device.on_gpu()) return "chosen for the lanes with a GPU";
  if (required) return "run.device = cuda";
  if (speedup > 1) return fmt::format("a GPU is expected to be {:.2g} times as fast as the cores", speedup);
  if (run.threads > 1) return fmt::format("run.threads = {}", run.threads);
  if (run.stack > 1) return fmt::format("run.stack = {}", run.stack);
  return std::nullopt;
}

// The expected time with the fastest engine that uses the device; infinite if none can train the trial.
double min_seconds(const Trial& trial, TrialEstimate estimate, const DataShape& shape, LaneDevice device) {
  double seconds = std::numeric_limits<double>::infinity();
  if (!device.on_gpu()) estimate.together = 1;
  for (const EngineEntry& engine : engine_table()) {
    if ((device.on_gpu() && !engine.uses_gpus) || engine.refusal(trial, shape, device)) continue;
    seconds = std::min(seconds, engine.expected_seconds(estimate, device));
  }
  return seconds;
}

}  // namespace

void GpuSpeedup::add(const Trial& trial, const TrialEstimate& estimate, double weight) {
  gpu_seconds_ += weight * min_seconds(trial, estimate, shape_, gpu_lane);
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
  EngineChoice choice = first_fitting(trial, shape, device);
  if (run.engine != EngineKind::automatic || choice.engine != first) return choice;
  if (auto reason = reason_for_torch(run, speedup, device))
    return {&engine_named(torch_engine_name), std::move(reason)};
  return choice;
}

const EngineEntry& engine_of(const Trial& trial, const DataShape& shape, EngineKind settled, LaneDevice device) {
  if (const EngineEntry* selected = selected_engine(settled)) return *selected;
  const EngineEntry* fitting = first_fitting(trial, shape, device).engine;
  assert(fitting != nullptr);
  return *fitting;
}

bool has_core_engine(const Trial& trial, const DataShape& shape) {
  const EngineEntry* fitting = first_fitting(trial, shape, gpu_lane).engine;
  return fitting != nullptr && !fitting->uses_gpus;
}

EngineKind settled_engine(const Plan& plan, const DataShape& shape, const RunOptions& run, double speedup,
                          const std::vector<LaneDevice>& devices) {
  if (run.engine != EngineKind::automatic) return run.engine;
  std::set<const EngineEntry*> chosen;
  plan.for_each_network([&](const Trial& trial) {
    for (const LaneDevice device : devices) chosen.insert(choose_engine(trial, shape, run, speedup, device).engine);
  });
  chosen.erase(nullptr);  // require_engine() reports trials without an engine
  return chosen.size() == 1 ? (*chosen.begin())->kind : EngineKind::by_model;
}

bool has_stacks(EngineKind settled) {
  const EngineEntry* selected = selected_engine(settled);
  return selected != nullptr && selected->stack_refusal != nullptr;
}

std::int64_t models_together(const Trial& trial, const DataShape& shape, EngineKind settled, LaneDevice device,
                             std::int64_t stack) {
  const EngineEntry& engine = engine_of(trial, shape, settled, device);
  return engine.stack_refusal == nullptr || engine.stack_refusal(trial, shape) ? 1 : std::max<std::int64_t>(stack, 1);
}

std::int64_t gpu_stack_width(double bytes, std::int64_t models) {
  constexpr double cache_bytes = 32 << 20;
  constexpr std::int64_t least = 16, most = 1024;
  if (models < 2) return 1;
  std::int64_t width = least;
  while (width < most && width < models && static_cast<double>(width) * bytes < cache_bytes) width *= 2;
  while (width / 2 >= models) width /= 2;
  return width;
}

void require_stack(const Plan& plan, const DataShape& shape, const RunOptions& run,
                   const std::vector<LaneDevice>& devices) {
  if (run.stack <= 1) return;
  bool any = false;
  std::optional<std::string> reason;
  plan.for_each_network([&](const Trial& trial) {
    for (const LaneDevice device : devices) {
      const EngineEntry& engine = engine_of(trial, shape, run.engine, device);
      auto refusal = engine.stack_refusal != nullptr ? engine.stack_refusal(trial, shape)
                                                     : std::optional(fmt::format("run.engine = {}", engine.name));
      any = any || !refusal;
      if (refusal && !reason) reason = std::move(refusal);
    }
  });
  if (!any)
    throw UsageError(fmt::format("run.stack = {} has no effect ({}). Leave it out.", run.stack, reason.value_or("")));
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
