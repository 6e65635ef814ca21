// SPDX-License-Identifier: MIT
#include "core/random_stream.hpp"

#include <Random123/philox.h>

#include <cassert>
#include <cmath>
#include <utility>

namespace sheaf {

RandomStream::RandomStream(std::uint64_t seed, Purpose purpose, std::uint64_t index)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      counter_{0, static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
               static_cast<std::uint32_t>(purpose)} {}

void RandomStream::refill() {
  const r123::Philox4x32::ctr_type counter{{counter_[0], counter_[1], counter_[2], counter_[3]}};
  const r123::Philox4x32::key_type key{{key_[0], key_[1]}};
  const auto drawn = r123::Philox4x32{}(counter, key);
  for (std::size_t word = 0; word < 4; ++word) block_[word] = drawn[word];
  used_ = 0;
  ++counter_[0];
  // 2^32 blocks a stream; the purpose's upper bits carry the overflow, so a longer stream does not repeat itself.
  if (counter_[0] == 0) counter_[3] += 1u << 16;
}

std::uint32_t RandomStream::bits() {
  if (used_ == 4) refill();
  return block_[static_cast<std::size_t>(used_++)];
}

float RandomStream::uniform() {
  return static_cast<float>(bits() >> 8) * 0x1p-24f;
}

double RandomStream::uniform_double() {
  const std::uint64_t high = bits() >> 5;
  const std::uint64_t low = bits() >> 6;
  return static_cast<double>(high << 26 | low) * 0x1p-53;
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  assert(bound >= 1 && bound <= (std::uint64_t{1} << 32));
  const std::uint64_t threshold = (std::uint64_t{1} << 32) % bound;
  for (;;) {
    const std::uint64_t product = static_cast<std::uint64_t>(bits()) * bound;
    if ((product & 0xffffffffu) >= threshold) return product >> 32;
  }
}

double RandomStream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  constexpr double two_pi = 6.283185307179586476925;
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform_double()));  // 1 - u is never zero
  const double angle = two_pi * uniform_double();
  spare_normal_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

std::uint64_t iteration_seed(std::uint64_t study_seed, std::int64_t iteration) {
  RandomStream stream(study_seed, Purpose::iteration_seed, static_cast<std::uint64_t>(iteration));
  const std::uint64_t high = stream.bits();
  const std::uint64_t low = stream.bits();
  return (high << 32 | low) >> 11;
}

void shuffle(std::vector<std::int64_t>& values, RandomStream& stream) {
  for (std::size_t last = values.size(); last > 1; --last) std::swap(values[last - 1], values[stream.below(last)]);
}

}  // namespace sheaf
