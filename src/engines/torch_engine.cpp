// SPDX-License-Identifier: MIT
#include "engines/torch_engine.hpp"

#include "engines/torch_backend.hpp"

namespace sheaf {
namespace {

std::optional<std::string> refusal(const Trial&) {
  return std::nullopt;
}

double expected_seconds(const TrialEstimate& estimate) {
  // Launches of kernels bound a small step: forward, backward and optimizer are some dozens. The rate is that of
  // float32 products on a large GPU.
  constexpr double step_seconds = 0.75e-3, gpu_flops = 20e12;
  return static_cast<double>(estimate.steps) * step_seconds + estimate.flops / gpu_flops;
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
  return {torch_engine_name, EngineKind::torch, true, refusal, expected_seconds, make_trainer, make_predictor};
}

}  // namespace sheaf
