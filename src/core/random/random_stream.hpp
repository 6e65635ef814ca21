// Counter-based random numbers. A stream is a pure function of (seed, purpose, index): it never depends on the rank,
// the thread, the time or on what was drawn elsewhere.
// Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11 (Philox4x32-10).
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cassert>
#include <cstdint>

#include "core/random/random_purpose.hpp"

namespace sheaf {

/// A stream of random numbers, value by value; core/random/random_fill draws arrays. Cheap to construct; copy it to
/// branch. Not shared between threads.
class RandomStream {
 public:
  /// `index` tells streams of one purpose apart, e.g. the epoch or the layer.
  RandomStream(std::uint64_t seed, Purpose purpose, std::uint64_t index = 0);

  /// 32 uniform bits.
  std::uint32_t bits() {
    if (used_ == words_.size()) refill();
    return words_[used_++];
  }

  /// Uniform on [0, 1): 24 bits, exact in float.
  float uniform() { return static_cast<float>(bits() >> 8) * 0x1p-24f; }

  /// Uniform on [0, 1): 53 bits.
  double uniform_double();

  /// Uniform on 0..bound-1 without bias; bound in [1, 2^32]. Source: Lemire, ACM TOMACS 29 (2019).
  std::uint64_t below(std::uint64_t bound) {
    assert(bound >= 1 && bound <= (std::uint64_t{1} << 32));
    std::uint64_t product = bits() * bound;
    // The division that finds the threshold is rarely needed: the threshold is below the bound.
    if ((product & 0xffffffffu) < bound) {
      const std::uint64_t threshold = (std::uint64_t{1} << 32) % bound;
      while ((product & 0xffffffffu) < threshold) product = bits() * bound;
    }
    return product >> 32;
  }

  /// Standard normal, by Box and Muller in double precision; two values from each four words drawn.
  double normal();

 private:
  void refill();

  std::uint64_t seed_, index_;
  std::uint64_t next_block_ = 0;
  Purpose purpose_;
  std::array<std::uint32_t, 64> words_;  // 16 blocks drawn at once cost little more than one
  std::size_t used_ = words_.size();
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

/// The seed of iteration `iteration` of a study: 53 bits, so that every reader of JSON or CSV keeps it exact.
std::uint64_t iteration_seed(std::uint64_t study_seed, std::int64_t iteration);

/// Shuffles in place (Fisher and Yates, from the last element down).
void shuffle(std::int64_t* values, std::int64_t count, RandomStream& stream);

}  // namespace sheaf
