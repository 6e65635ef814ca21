// Half-open ranges of 64-bit indices, and their even division.
// SPDX-License-Identifier: MIT
#pragma once

#include <cassert>
#include <cstdint>

namespace sheaf {

/// The indices begin, begin + 1, ..., end - 1.
struct IndexRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  constexpr std::int64_t count() const { return end - begin; }
  constexpr bool empty() const { return end <= begin; }
  constexpr bool has(std::int64_t index) const { return index >= begin && index < end; }
  constexpr bool operator==(const IndexRange& other) const { return begin == other.begin && end == other.end; }
};

/// Divides the indices 0..count-1 into `parts` contiguous ranges and returns range `part`. The sizes differ by at most
/// one; the larger ranges come first.
constexpr IndexRange split_evenly(std::int64_t count, std::int64_t parts, std::int64_t part) {
  assert(count >= 0 && parts > 0 && part >= 0 && part < parts);
  const std::int64_t base = count / parts;
  const std::int64_t larger = count % parts;
  const std::int64_t begin = part * base + (part < larger ? part : larger);
  return {begin, begin + base + (part < larger ? 1 : 0)};
}

}  // namespace sheaf
