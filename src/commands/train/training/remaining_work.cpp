// SPDX-License-Identifier: MIT
#include "commands/train/training/remaining_work.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace sheaf {

RemainingIterations::RemainingIterations(std::vector<IndexRange> indices, const ArraySlice& slice)
    : slice_(slice), ranges_(std::move(indices)), positions_(1, 0) {
  for (const auto& range : ranges_) {
    assert(!range.empty());
    positions_.push_back(positions_.back() + range.count());
  }
}

std::vector<IndexRange> RemainingIterations::iterations_at_positions(const IndexRange& positions) const {
  assert(positions.begin >= 0 && positions.end <= count());
  std::vector<IndexRange> iterations;
  const auto after = std::upper_bound(positions_.begin(), positions_.end(), positions.begin);
  auto index = static_cast<std::size_t>(after - positions_.begin()) - 1;
  for (std::int64_t position = positions.begin; position < positions.end; position = positions_[++index]) {
    const std::int64_t begin = ranges_[index].begin + (position - positions_[index]);
    const IndexRange indices{begin, std::min(ranges_[index].end, begin + positions.end - position)};
    if (slice_.is_whole()) {
      iterations.push_back(indices);
      continue;
    }
    for (std::int64_t at = indices.begin; at < indices.end; ++at)
      iterations.push_back({slice_.iteration(at), slice_.iteration(at) + 1});
  }
  return iterations;
}

}  // namespace sheaf
