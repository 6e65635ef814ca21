// SPDX-License-Identifier: MIT
#include "models/dropout_mask.hpp"

#include <algorithm>
#include <array>
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

void draw_dropout_mask(TrainingStep step, std::size_t layer, double rate, std::int64_t first, std::uint8_t* mask,
                       std::int64_t count) {
  std::array<float, 1024> block;
  for (std::int64_t done = 0; done < count; done += static_cast<std::int64_t>(block.size())) {
    const std::int64_t now = std::min(static_cast<std::int64_t>(block.size()), count - done);
    draw_dropout_mask(step, layer, rate, first + done, block.data(), now);
    std::transform(block.data(), block.data() + now, mask + done,
                   [](float value) { return static_cast<std::uint8_t>(value); });
  }
}

}  // namespace sheaf
