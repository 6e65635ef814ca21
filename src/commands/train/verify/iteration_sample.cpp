// SPDX-License-Identifier: MIT
#include "commands/train/verify/iteration_sample.hpp"

#include <algorithm>

#include "core/random/random_stream.hpp"

namespace sheaf {

std::vector<std::int64_t> spread_sample(std::int64_t total, std::int64_t count, std::uint64_t seed) {
  const std::int64_t drawn = std::min(count, total);
  std::vector<std::int64_t> sample;
  sample.reserve(static_cast<std::size_t>(drawn));
  RandomStream random(seed, Purpose::verified_iterations);
  for (std::int64_t part = 0, begin = 0; part < drawn; ++part) {
    const std::int64_t size = total / drawn + (part < total % drawn ? 1 : 0);
    sample.push_back(begin + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(size))));
    begin += size;
  }
  return sample;
}

}  // namespace sheaf
