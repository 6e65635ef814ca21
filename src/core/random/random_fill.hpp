// Arrays of random numbers, drawn with the widest vector instructions of the processor. The values are those of
// RandomStream, or are defined here from its words. They are bit-identical on every processor. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/random/random_purpose.hpp"

namespace sheaf {

/// A position in a RandomStream. `block` counts blocks of four words and may exceed 2^32.
struct StreamPlace {
  std::uint64_t seed = 0;
  Purpose purpose{};
  std::uint64_t index = 0;
  std::uint64_t block = 0;
};

/// The words of RandomStream::bits(). This and the following functions write exactly `count` values, at any alignment.
void fill_bits(const StreamPlace& place, std::uint32_t* values, std::int64_t count);

/// The values of RandomStream::uniform().
void fill_uniform(const StreamPlace& place, float* values, std::int64_t count);

/// 0 where the word of RandomStream::bits() is below `threshold`, else 1.
void fill_mask(const StreamPlace& place, std::uint32_t threshold, float* values, std::int64_t count);

/// Standard normals: normals_of() of the words. They differ from the values of RandomStream::normal().
void fill_normal(const StreamPlace& place, float* values, std::int64_t count);

/// The two standard normals of each pair of words (a, b), by the Box-Muller transform in float: r cos t and r sin t.
/// The radius is r = sqrt(-2 ln u) with u = (floor(a / 2) + 1/2) / 2^31 rounded to float, so at most 6.67. The angle t
/// is the number of quarter turns in the upper two bits of b, plus its lower 30 bits as a signed number in units of
/// 2^-32 turns. `count` is even. Uses only IEEE sums, products and square roots, so results are the same everywhere.
/// Source of the polynomials: Cephes, logf.c and sinf.c.
void normals_of(const std::uint32_t* words, float* values, std::int64_t count);

}  // namespace sheaf
