// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "study/losses.hpp"

namespace sheaf {

/// Converts outputs [count, output_count] to predictions, in place, by the link of the loss: class probabilities, or
/// the exponentials of the outputs; unchanged for losses without a link. Pure.
void make_predictions(LossKind loss, std::int64_t output_count, float* outputs, std::int64_t count);

/// Whether outputs [count, output_count] look like predictions already: all are in 0..1 and, for softmax, those of
/// each row add up to 1, with a tolerance of 1e-3. False for losses without probabilities and for no rows. Pure.
bool are_probabilities(LossKind loss, std::int64_t output_count, const float* outputs, std::int64_t count);

}  // namespace sheaf
