// The iterations that a run is to train: all of a plan, or those that an earlier run has left.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/index_range.hpp"

namespace sheaf {

/// The iterations of ascending ranges, numbered anew from 0: the work source hands out their places, lanes train their
/// numbers. Pure.
class WorkList {
 public:
  explicit WorkList(std::vector<IndexRange> iterations = {});

  /// How many there are.
  std::int64_t count() const { return places_.back(); }
  /// The iterations at some places (inside 0..count()-1), as few ascending ranges; none for no places.
  std::vector<IndexRange> iterations_at(const IndexRange& places) const;

 private:
  std::vector<IndexRange> ranges_;
  std::vector<std::int64_t> places_;  // of each range's first iteration; at the end, the count
};

}  // namespace sheaf
