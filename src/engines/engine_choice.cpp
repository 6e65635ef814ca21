// SPDX-License-Identifier: MIT
#include "engines/engine_choice.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace sheaf {

namespace {

// Why the native engine cannot train a trial; empty: it can.
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
  return engine == EngineKind::torch || !reason_of(trial).empty() ? TrainedBy::torch : TrainedBy::native;
}

double gpu_speedup(const std::vector<TrialEstimate>& estimates, std::int64_t cores) {
  // LibTorch's kernel launches bound a small step: forward, backward and optimizer are some dozens. Rates are of
  // float32 products: of a large GPU in LibTorch, and half the peak of a core with AVX2.
  constexpr double step_seconds = 0.75e-3, gpu_flops = 20e12, core_flops = 40e9;
  double on_gpu = 0, on_cores = 0;
  for (const auto& estimate : estimates) {
    on_gpu += static_cast<double>(estimate.steps) * step_seconds + estimate.flops / gpu_flops;
    on_cores += estimate.flops / core_flops / static_cast<double>(cores);
  }
  return on_cores / on_gpu;
}

std::string torch_reason(const Trial& trial, const RunOptions& run, double speedup) {
  if (run.engine == EngineKind::torch) return "run.engine = torch";
  if (const std::string reason = reason_of(trial); !reason.empty()) return reason;
  if (run.engine != EngineKind::automatic) return "";
  if (speedup != no_gpu && run.device == DeviceRequest::cuda) return "run.device = cuda";
  if (speedup > 1) return fmt::format("a GPU is expected to be {:.2g} times as fast as the cores", speedup);
  if (run.threads > 1) return fmt::format("run.threads = {}", run.threads);
  return "";
}

EngineKind settled_engine(const Plan& plan, const RunOptions& run, double speedup) {
  if (run.engine != EngineKind::automatic) return run.engine;
  std::size_t by_torch = 0;
  for (const Trial& trial : plan.trials()) by_torch += torch_reason(trial, run, speedup).empty() ? 0 : 1;
  if (by_torch == 0) return EngineKind::native;
  return by_torch == plan.trials().size() ? EngineKind::torch : EngineKind::by_model;
}

void require_engine(const Plan& plan, const RunOptions& run) {
  if (run.engine != EngineKind::native) return;
  for (std::size_t trial = 0; trial < plan.trials().size(); ++trial) {
    const std::string reason = torch_reason(plan.trials()[trial], run, no_gpu);
    if (!reason.empty())
      throw UsageError(
          fmt::format("run.engine = native cannot train trial {} ({}). Set run.engine = auto.", trial, reason));
  }
}

}  // namespace sheaf
