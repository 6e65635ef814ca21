// The iterations that a job must train, as positions for the work source.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/index_range.hpp"
#include "study/array_slice.hpp"

namespace sheaf {

/// Ranges of iterations in the order in which lanes get them, with positions from 0. The work source distributes
/// positions; lanes train the iterations at these positions. Pure.
class RemainingIterations {
 public:
  /// `indices`: of the iterations in `slice`; by default, the iterations themselves.
  explicit RemainingIterations(std::vector<IndexRange> indices = {}, const ArraySlice& slice = {});

  /// Number of iterations.
  std::int64_t count() const { return positions_.back(); }
  /// The iterations at some positions (inside 0..count()-1), as few ranges; none for no positions. In a slice
  /// each iteration has its own range.
  std::vector<IndexRange> iterations_at_positions(const IndexRange& positions) const;

 private:
  ArraySlice slice_;
  std::vector<IndexRange> ranges_;       // of indices
  std::vector<std::int64_t> positions_;  // of the first index of each range; at the end, the count
};

}  // namespace sheaf
