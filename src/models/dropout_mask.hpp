// Which activations a training step drops. Free of torch: every engine drops the same ones. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace sheaf {

/// What tells one training step's random draws from another's.
struct TrainingStep {
  std::uint64_t iteration_seed = 0;
  std::int64_t number = 0;  ///< counts from 0 over all epochs
};

/// Writes values first..first+count-1 (`first` a multiple of 4) of the mask of layer `layer` (its place in the layout,
/// below 2^16) for a batch, [rows, width] row-major: 0 with probability `rate`, else 1. What is kept is to be
/// multiplied by 1 / (1 - rate).
void draw_dropout_mask(TrainingStep step, std::size_t layer, double rate, std::int64_t first, float* mask,
                       std::int64_t count);

}  // namespace sheaf
