// Arrays of random numbers, drawn with the widest vector instructions that the processor has. The values are those of
// RandomStream, or defined here by its words, and the same to the bit on every processor. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/random/random_purpose.hpp"

namespace sheaf {

/// Where to begin in which stream (RandomStream): `block` counts four words each, and goes on beyond 2^32.
struct StreamPlace {
  std::uint64_t seed = 0;
  Purpose purpose{};
  std::uint64_t index = 0;
  std::uint64_t block = 0;
};

/// The words of RandomStream::bits(). Here as below, `count` values at any alignment, and none beyond.
void fill_bits(const StreamPlace& place, std::uint32_t* values, std::int64_t count);

/// The values of RandomStream::uniform().
void fill_uniform(const StreamPlace& place, float* values, std::int64_t count);

/// 0 where the word of RandomStream::bits() is below `threshold`, else 1.
void fill_mask(const StreamPlace& place, std::uint32_t threshold, float* values, std::int64_t count);

/// Standard normals: normals_of of the words, and so not the values of RandomStream::normal().
void fill_normal(const StreamPlace& place, float* values, std::int64_t count);

/// The two standard normals of each pair of words (a, b), by Box and Muller in float: r cos t and r sin t, where
/// r = sqrt(-2 ln u) with u = (floor(a / 2) + 1/2) / 2^31 rounded to float, so at most 6.67, and t is the number of
/// quarter turns in b's upper two bits plus its lower 30, taken as a signed number, 2^32 of which are a turn. `count`
/// is even. Made of IEEE sums, products and square roots alone, which have one result. Source of the polynomials:
/// Cephes, logf.c and sinf.c.
void normals_of(const std::uint32_t* words, float* values, std::int64_t count);

}  // namespace sheaf
