// SPDX-License-Identifier: MIT
#include "models/dropout_mask.hpp"

#include <cassert>

#include "core/random/random_fill.hpp"

namespace sheaf {

void draw_dropout_mask(TrainingStep step, std::size_t layer, double rate, std::int64_t first, float* mask,
                       std::int64_t count) {
  assert(rate >= 0 && rate < 1 && step.number >= 0 && layer < (1u << 16) && first % 4 == 0);
  const std::uint64_t index = static_cast<std::uint64_t>(step.number) << 16 | layer;
  fill_mask({step.iteration_seed, Purpose::dropout, index, static_cast<std::uint64_t>(first) / 4},
            static_cast<std::uint32_t>(rate * 0x1p32), mask, count);
}

}  // namespace sheaf
