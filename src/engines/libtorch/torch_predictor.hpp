// Predictions of all kinds of models with LibTorch.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/predictor.hpp"
#include "models/saved_model.hpp"
#include "parallel/devices/lane_device.hpp"

namespace sheaf {

/// The number of outputs that the model's module returns for one row of zeros of `row_shape`. Throws RunError if it
/// does not accept such rows. Local.
std::int64_t probe_output_count(const OpenedModel& model, const std::vector<std::int64_t>& row_shape);

/// Makes a predictor (models/predictor.hpp) that runs the model in LibTorch.
std::unique_ptr<Predictor> make_torch_predictor(const OpenedModel& model, const std::vector<std::int64_t>& row_shape,
                                                std::int64_t output_count, LaneDevice device);

}  // namespace sheaf
