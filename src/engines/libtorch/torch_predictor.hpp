// Models of any kind that only predict, in LibTorch.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/predictor.hpp"
#include "models/saved_model.hpp"
#include "parallel/devices/lane_device.hpp"

namespace sheaf {

/// How many outputs the model's module gives for a row of zeros of `row_shape`. Throws RunError when it does not take
/// such rows. Local.
std::int64_t probe_output_count(const OpenedModel& model, const std::vector<std::int64_t>& row_shape);

/// make_predictor() (models/predictor.hpp) for models that LibTorch runs.
std::unique_ptr<Predictor> make_torch_predictor(const OpenedModel& model, const std::vector<std::int64_t>& row_shape,
                                                std::int64_t output_count, LaneDevice device);

}  // namespace sheaf
