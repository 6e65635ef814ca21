// Models that only predict: outputs for rows of raw features, by the engine that fits.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "model/trained_model.hpp"
#include "options/study.hpp"

namespace sheaf {

/// One a lane, made and used in its thread.
class Predictor {
 public:
  virtual ~Predictor() = default;
  /// Outputs [count, outputs] (plain values or logits) for features [count, ...], both row-major. False: a feature may
  /// be not finite. Throws RunError when the model fails on them.
  [[nodiscard]] virtual bool predict(const float* features, std::int64_t count, float* outputs) = 0;
};

/// Why LibTorch runs the model; empty: the resident engine does. Pure.
std::string torch_predictor_reason(const LoadedModel& model, const RunOptions& run, bool on_gpu);

/// Reads a model file, by LibTorch only where LibTorch has to run it. Throws RunError when there is no such file, or
/// when it is no model. Local.
LoadedModel load_model(const std::string& path, const RunOptions& run, bool on_gpu);

/// How many outputs a row of shape `row_shape` (without the rows) has; a model that does not say it is asked with a row
/// of zeros. Throws RunError when the model does not take such rows. Local.
std::int64_t find_output_count(const LoadedModel& model, const std::vector<std::int64_t>& row_shape);

/// `model` outlives the predictor, and several may share it. Throws RunError when the device cannot be used.
std::unique_ptr<Predictor> make_predictor(const LoadedModel& model, const std::vector<std::int64_t>& row_shape,
                                          std::int64_t output_count, const RunOptions& run, LaneDevice device);

/// Turns outputs [count, output_count] into predictions: class probabilities for cross_entropy and bce; plain values
/// for mse stay. Pure.
void make_predictions(LossKind loss, std::int64_t output_count, float* outputs, std::int64_t count);

}  // namespace sheaf
