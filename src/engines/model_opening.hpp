// Models that only predict: outputs for rows of raw features, by the engine that fits.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engines/engine_choice.hpp"
#include "models/predictor.hpp"
#include "models/saved_model.hpp"
#include "parallel/devices/lane_device.hpp"
#include "study/study.hpp"

namespace sheaf {

/// The engine that runs the model in a lane with that device; with run.engine = native another one where that cannot.
/// Pure.
EngineChoice choose_predictor(const OpenedModel& model, const RunOptions& run, LaneDevice device);

/// Reads a model file, by LibTorch only where LibTorch has to run it. Throws RunError when there is no such file, or
/// when it is not a model. Local.
OpenedModel load_model(const std::string& path, const RunOptions& run, LaneDevice device);

/// How many outputs a row of shape `row_shape` (without the rows) has; if the model file does
/// not contain the number, the model runs on a row of zeros. Throws RunError when the model does not take such rows.
/// Local.
std::int64_t find_output_count(const OpenedModel& model, const std::vector<std::int64_t>& row_shape);

/// `model` outlives the predictor, and several may share it. Throws RunError when the device cannot be used.
std::unique_ptr<Predictor> make_predictor(const OpenedModel& model, const std::vector<std::int64_t>& row_shape,
                                          std::int64_t output_count, const RunOptions& run, LaneDevice device);

}  // namespace sheaf
