// SPDX-License-Identifier: MIT
#include "commands/train/remaining_work.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace sheaf {

WorkList::WorkList(std::vector<IndexRange> iterations) : ranges_(std::move(iterations)), places_(1, 0) {
  for (const auto& range : ranges_) {
    assert(!range.empty());
    places_.push_back(places_.back() + range.count());
  }
}

std::vector<IndexRange> WorkList::iterations_at(const IndexRange& places) const {
  assert(places.begin >= 0 && places.end <= count());
  std::vector<IndexRange> iterations;
  const auto after = std::upper_bound(places_.begin(), places_.end(), places.begin);
  auto index = static_cast<std::size_t>(after - places_.begin()) - 1;
  for (std::int64_t place = places.begin; place < places.end; place = places_[++index]) {
    const std::int64_t begin = ranges_[index].begin + (place - places_[index]);
    iterations.push_back({begin, std::min(ranges_[index].end, begin + places.end - place)});
  }
  return iterations;
}

}  // namespace sheaf
