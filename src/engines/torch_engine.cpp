// SPDX-License-Identifier: MIT
#include "engines/torch_engine.hpp"

#include <fmt/format.h>

#include "engines/torch_backend.hpp"

namespace sheaf {
namespace {

std::optional<std::string> refusal(const Trial& trial, const DataShape&, LaneDevice device) {
  if (!is_network(trial.model.kind)) return "trees are trained by XGBoost";
  const PrecisionRow& precision = precision_of(trial.train.precision);
  if (precision.needs_gpu && !device.on_gpu()) return fmt::format("train.precision = {} needs a GPU", precision.name);
  return std::nullopt;
}

// The time of a small step is bound by dozens of calls (forward, backward, optimizer): kernel launches on a GPU, the
// overhead of LibTorch on a core. `gpu_flops` is the rate of float32 products on a large GPU.
double expected_seconds(const TrialEstimate& estimate, LaneDevice device) {
  constexpr double gpu_step_seconds = 0.75e-3, core_step_seconds = 0.15e-3, gpu_flops = 20e12;
  const auto steps = static_cast<double>(estimate.steps);
  if (device.on_gpu()) return steps * gpu_step_seconds + estimate.flops / gpu_flops;
  return steps * core_step_seconds + estimate.flops / (expected_core_flops * device.thread_count);
}

std::unique_ptr<Trainer> make_trainer(LaneDevice device, const DataSet* shared) {
  return torch_backend().make_trainer(device, shared);
}

std::unique_ptr<Predictor> make_predictor(const OpenedModel& model, const std::vector<std::int64_t>& row_shape,
                                          std::int64_t output_count, LaneDevice device) {
  return torch_backend().make_predictor(model, row_shape, output_count, device);
}

}  // namespace

EngineEntry torch_engine() {
  return {torch_engine_name, EngineKind::torch, true, true, refusal, expected_seconds, make_trainer, make_predictor};
}

}  // namespace sheaf
