// SPDX-License-Identifier: MIT
#include "engine/engine_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"

namespace sheaf {

namespace {

// Why the resident engine cannot train a trial; empty: it can.
std::string reason_of(const Trial& trial) {
  const Precision precision = trial.train.precision;
  if (precision == Precision::bfloat16) return "train.precision = bfloat16";
  if (precision == Precision::tf32) return "train.precision = tf32";
  switch (trial.model.kind) {
    case ModelKind::linear:
    case ModelKind::mlp:
      return "";
    case ModelKind::cnn:
      return "a cnn has convolutions";
    case ModelKind::resnet18:
    case ModelKind::resnet50:
      return "a resnet has convolutions";
    case ModelKind::torchscript:
      return "a TorchScript module runs in LibTorch";
    case ModelKind::plugin:
      return "a plugin runs in LibTorch";
  }
  return "";
}

}  // namespace

TrainedBy engine_of(const Trial& trial, EngineKind engine) {
  return engine == EngineKind::torch || !reason_of(trial).empty() ? TrainedBy::torch : TrainedBy::resident;
}

std::string torch_reason(const Trial& trial, const RunOptions& run, bool on_gpu) {
  if (run.engine == EngineKind::torch) return "run.engine = torch";
  if (const std::string reason = reason_of(trial); !reason.empty()) return reason;
  if (run.engine != EngineKind::automatic) return "";
  if (on_gpu) return "it trains on a GPU";
  if (run.threads > 1) return fmt::format("run.threads = {}", run.threads);
  return "";
}

EngineKind settled_engine(const Plan& plan, const RunOptions& run, bool on_gpu) {
  if (run.engine != EngineKind::automatic) return run.engine;
  const auto by_torch = std::count_if(plan.trials().begin(), plan.trials().end(),
                                      [&](const Trial& trial) { return !torch_reason(trial, run, on_gpu).empty(); });
  if (by_torch == 0) return EngineKind::resident;
  return static_cast<std::size_t>(by_torch) == plan.trials().size() ? EngineKind::torch : EngineKind::by_model;
}

void require_engine(const Plan& plan, const RunOptions& run) {
  if (run.engine != EngineKind::resident) return;
  for (std::size_t trial = 0; trial < plan.trials().size(); ++trial) {
    const std::string reason = torch_reason(plan.trials()[trial], run, false);
    if (!reason.empty())
      throw UsageError(
          fmt::format("run.engine = resident cannot train trial {} ({}). Set run.engine = auto.", trial, reason));
  }
}

}  // namespace sheaf
