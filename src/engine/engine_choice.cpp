// SPDX-License-Identifier: MIT
#include "engine/engine_choice.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace sheaf {

namespace {

std::string reason_of(ModelKind kind) {
  switch (kind) {
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

std::string torch_reason(const Trial& trial, const RunOptions& run, bool on_gpu) {
  if (run.engine == EngineKind::torch) return "run.engine = torch";
  if (const std::string reason = reason_of(trial.model.kind); !reason.empty()) return reason;
  if (on_gpu) return "it trains on a GPU";
  if (run.threads > 1) return fmt::format("run.threads = {}", run.threads);
  return "";
}

void require_engine(const Plan& plan, const RunOptions& run, bool on_gpu) {
  if (run.engine != EngineKind::resident) return;
  for (std::size_t trial = 0; trial < plan.trials().size(); ++trial) {
    const std::string reason = torch_reason(plan.trials()[trial], run, on_gpu);
    const bool gpu_alone = torch_reason(plan.trials()[trial], run, false).empty();
    if (!reason.empty())
      throw UsageError(fmt::format("run.engine = resident cannot train trial {} ({}). Set {}run.engine = auto.", trial,
                                   reason, gpu_alone ? "run.device = cpu or " : ""));
  }
}

}  // namespace sheaf
