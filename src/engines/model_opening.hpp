// Opens models for prediction: chooses an engine, which computes outputs for rows of raw features.
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
#include "study/run_options.hpp"

namespace sheaf {

/// The engine that runs the model in a lane with this device: another one than run.engine if that cannot run it. Pure.
EngineChoice choose_predictor(const OpenedModel& model, const RunOptions& run, LaneDevice device);

/// Reads a model file. Loads LibTorch only if the model needs it. Throws RunError if the file does not exist or is not
/// a model. Local.
OpenedModel load_model(const std::string& path, const RunOptions& run, LaneDevice device);

/// The number of outputs for a row of shape `row_shape`. If the model file does not contain it, the model is run on one
/// row of zeros. Throws RunError if the model does not accept such rows. Local.
std::int64_t find_output_count(const OpenedModel& model, const std::vector<std::int64_t>& row_shape);

/// `model` must outlive the predictor; predictors may share it. Throws RunError if the device cannot be used.
std::unique_ptr<Predictor> make_predictor(const OpenedModel& model, const std::vector<std::int64_t>& row_shape,
                                          std::int64_t output_count, const RunOptions& run, LaneDevice device);

}  // namespace sheaf
