// SPDX-License-Identifier: MIT
#include "engine/engine_choice.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace sheaf {

std::string torch_reason(const Trial& trial, const RunOptions& run, bool on_gpu) {
  if (run.engine == EngineKind::torch) return "run.engine = torch";
  if (trial.model.kind == ModelKind::cnn) return "a cnn has convolutions";
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
