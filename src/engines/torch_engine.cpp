// SPDX-License-Identifier: MIT
#include "engines/torch_engine.hpp"

#include "engines/torch_backend.hpp"

namespace sheaf {
namespace {

std::optional<std::string> refusal(const Trial&) {
  return std::nullopt;
}

double expected_seconds(const TrialEstimate& estimate, bool on_gpu) {
  // Launches of kernels bound a small step on a GPU: forward, backward and optimizer are some dozens. On a core a step
  // costs about as many calls. Rates are of float32 products, of a large GPU and of a core in LibTorch.
  const double step_seconds = on_gpu ? 0.75e-3 : 0.1e-3, flops = on_gpu ? 20e12 : 30e9;
  return static_cast<double>(estimate.steps) * step_seconds + estimate.flops / flops;
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
