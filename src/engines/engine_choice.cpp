// SPDX-License-Identifier: MIT
#include "engines/engine_choice.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace sheaf {
namespace {

// The engine that run.engine names; null: it names none.
const EngineEntry* asked_engine(EngineKind kind) {
  for (const EngineEntry& engine : engine_table())
    if (engine.asked == kind) return &engine;
  return nullptr;
}

// The first engine that can train the trial, and why those before it cannot.
EngineChoice first_fitting(const Trial& trial) {
  EngineChoice choice{nullptr, std::nullopt};
  for (const EngineEntry& engine : engine_table()) {
    const auto refusal = engine.refusal(trial);
    if (!refusal) {
      choice.engine = &engine;
      break;
    }
    if (!choice.reason) choice.reason = refusal;
  }
  return choice;
}

// Why run.engine = auto takes LibTorch although the native engine can train the trial.
std::optional<std::string> reason_for_torch(const RunOptions& run, double speedup) {
  if (speedup != no_gpu && run.device == DeviceRequest::cuda) return "run.device = cuda";
  if (speedup > 1) return fmt::format("a GPU is expected to be {:.2g} times as fast as the cores", speedup);
  if (run.threads > 1) return fmt::format("run.threads = {}", run.threads);
  return std::nullopt;
}

}  // namespace

void GpuSpeedup::add(const TrialEstimate& estimate) {
  gpu_seconds_ += engine_named(torch_engine_name).expected_seconds(estimate);
  core_seconds_ += engine_named(native_engine_name).expected_seconds(estimate) / static_cast<double>(cores_);
}

std::string described(std::string_view name, const std::optional<std::string>& reason) {
  return reason ? fmt::format("{} ({})", name, *reason) : std::string(name);
}

EngineChoice choose_engine(const Trial& trial, const RunOptions& run, double speedup) {
  if (const EngineEntry* asked = asked_engine(run.engine)) {
    const bool first = asked == &engine_table().front();
    return {asked, first ? std::nullopt : std::optional(fmt::format("run.engine = {}", asked->name))};
  }
  EngineChoice choice = first_fitting(trial);
  if (run.engine != EngineKind::automatic || choice.reason) return choice;
  if (auto reason = reason_for_torch(run, speedup)) return {&engine_named(torch_engine_name), std::move(reason)};
  return choice;
}

const EngineEntry& engine_of(const Trial& trial, EngineKind settled) {
  const EngineEntry* asked = asked_engine(settled);
  return asked != nullptr ? *asked : *first_fitting(trial).engine;
}

EngineKind settled_engine(const Plan& plan, const RunOptions& run, double speedup) {
  if (run.engine != EngineKind::automatic) return run.engine;
  const EngineEntry* first = choose_engine(plan.trial(0), run, speedup).engine;
  bool same = true;
  plan.for_each_network(
      [&](std::int64_t, const Trial& trial) { same = same && choose_engine(trial, run, speedup).engine == first; });
  return same ? first->asked : EngineKind::by_model;
}

void require_engine(const Plan& plan, const RunOptions& run) {
  const EngineEntry* asked = asked_engine(run.engine);
  if (asked == nullptr) return;
  plan.for_each_network([&](std::int64_t number, const Trial& trial) {
    if (const auto refusal = asked->refusal(trial))
      throw UsageError(fmt::format("run.engine = {} cannot train trial {} ({}). Set run.engine = auto.", asked->name,
                                   number, *refusal));
  });
}

}  // namespace sheaf
