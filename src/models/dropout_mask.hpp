// Draws dropout masks. All engines use the same masks, so this file does not use LibTorch. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace sheaf {

/// Identifies an optimizer step, for its random draws.
struct TrainingStep {
  std::uint64_t iteration_seed = 0;
  std::int64_t number = 0;  ///< counts from 0 over all epochs
};

/// Writes values first..first+count-1 of a layer's mask for a batch, [rows, width] row-major: 0 with probability
/// `rate`, otherwise 1. The caller multiplies the remaining activations by 1 / (1 - rate). `layer` is the index of the
/// layer in the layout, less than 2^16. `first` is a multiple of 4.
void draw_dropout_mask(TrainingStep step, std::size_t layer, double rate, std::int64_t first, float* mask,
                       std::int64_t count);
/// The same as bytes.
void draw_dropout_mask(TrainingStep step, std::size_t layer, double rate, std::int64_t first, std::uint8_t* mask,
                       std::int64_t count);

}  // namespace sheaf
