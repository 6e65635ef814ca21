// Counter-based random numbers. A stream is a pure function of (seed, purpose, index): it does not depend on the rank,
// the thread, the time or other streams.
// Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11 (Philox4x32-10).
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cassert>
#include <cstdint>

#include "core/random/random_purpose.hpp"

namespace sheaf {

/// Draws random numbers one by one; see core/random/random_fill for arrays. Cheap to construct. A copy continues from
/// the same position. Not thread-safe.
class RandomStream {
 public:
  /// `index` distinguishes streams of the same purpose, for example by epoch or layer.
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

  /// Uniform on 0..bound-1, without bias. `bound` is in [1, 2^32]. Source: Lemire, ACM TOMACS 29 (2019).
  std::uint64_t below(std::uint64_t bound) {
    assert(bound >= 1 && bound <= (std::uint64_t{1} << 32));
    std::uint64_t product = bits() * bound;
    // The threshold is below the bound, so the slow division is rarely needed.
    if ((product & 0xffffffffu) < bound) {
      const std::uint64_t threshold = (std::uint64_t{1} << 32) % bound;
      while ((product & 0xffffffffu) < threshold) product = bits() * bound;
    }
    return product >> 32;
  }

  /// Standard normal, by the Box-Muller transform in double precision. Four words yield two values.
  double normal();

 private:
  void refill();

  std::uint64_t seed_, index_;
  std::uint64_t next_block_ = 0;
  Purpose purpose_;
  std::array<std::uint32_t, 64> words_;  // drawing 16 blocks together takes little longer than drawing one
  std::size_t used_ = words_.size();
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

/// Returns the seed of the iteration of a study with this counter: 53 bits, so that readers of JSON or CSV represent it
/// exactly.
std::uint64_t iteration_seed(std::uint64_t study_seed, std::uint64_t counter);

/// Shuffles in place (Fisher-Yates, from the last element down).
void shuffle(std::int64_t* values, std::int64_t count, RandomStream& stream);

}  // namespace sheaf
