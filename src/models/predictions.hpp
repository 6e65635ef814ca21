// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "study/study.hpp"

namespace sheaf {

/// Converts outputs [count, output_count] to predictions, in place: class probabilities for cross_entropy (softmax) and
/// bce (sigmoid); unchanged for mse. Pure.
void make_predictions(LossKind loss, std::int64_t output_count, float* outputs, std::int64_t count);

}  // namespace sheaf
