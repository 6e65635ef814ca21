// SPDX-License-Identifier: MIT
#include "model/dropout_mask.hpp"

#include <cassert>

#include "core/random_stream.hpp"

namespace sheaf {

void draw_dropout_mask(TrainingStep step, std::size_t layer, double rate, float* mask, std::int64_t count) {
  assert(rate >= 0 && rate < 1 && step.number >= 0 && layer < (1u << 16));
  RandomStream stream(step.iteration_seed, Purpose::dropout, static_cast<std::uint64_t>(step.number) << 16 | layer);
  const auto threshold = static_cast<std::uint64_t>(rate * 0x1p32);
  for (std::int64_t i = 0; i < count; ++i) mask[i] = stream.bits() < threshold ? 0.0f : 1.0f;
}

}  // namespace sheaf
