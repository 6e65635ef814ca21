// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "study/study.hpp"

namespace sheaf {

/// Turns outputs [count, output_count] into predictions: class probabilities for cross_entropy and bce; plain values
/// for mse stay. Pure.
void make_predictions(LossKind loss, std::int64_t output_count, float* outputs, std::int64_t count);

}  // namespace sheaf
