// SPDX-License-Identifier: MIT
#include "core/random/random_stream.hpp"

#include <cmath>
#include <utility>

#include "core/random/random_fill.hpp"

namespace sheaf {

RandomStream::RandomStream(std::uint64_t seed, Purpose purpose, std::uint64_t index)
    : seed_(seed), index_(index), purpose_(purpose) {}

void RandomStream::refill() {
  fill_bits({seed_, purpose_, index_, next_block_}, words_.data(), words_.size());
  next_block_ += words_.size() / 4;
  used_ = 0;
}

double RandomStream::uniform_double() {
  const std::uint64_t high = bits() >> 5;
  const std::uint64_t low = bits() >> 6;
  return static_cast<double>(high << 26 | low) * 0x1p-53;
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

std::uint64_t iteration_seed(std::uint64_t study_seed, std::uint64_t counter) {
  RandomStream stream(study_seed, Purpose::iteration_seed, counter);
  const std::uint64_t high = stream.bits();
  const std::uint64_t low = stream.bits();
  return (high << 32 | low) >> 11;
}

void shuffle(std::int64_t* values, std::int64_t count, RandomStream& stream) {
  for (std::int64_t last = count; last > 1; --last)
    std::swap(values[last - 1], values[stream.below(static_cast<std::uint64_t>(last))]);
}

}  // namespace sheaf
