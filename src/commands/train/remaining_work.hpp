// The iterations that a job must train, as positions for the work source.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/index_range.hpp"

namespace sheaf {

/// Iterations in ascending ranges, with positions from 0. The work source distributes positions; lanes train the
/// iterations at these positions. Pure.
class RemainingIterations {
 public:
  explicit RemainingIterations(std::vector<IndexRange> iterations = {});

  /// Number of iterations.
  std::int64_t count() const { return positions_.back(); }
  /// The iterations at some places (inside 0..count()-1), as few ascending ranges; none for no places.
  std::vector<IndexRange> iterations_at_positions(const IndexRange& positions) const;

 private:
  std::vector<IndexRange> ranges_;
  std::vector<std::int64_t> positions_;  // of each range's first iteration; at the end, the count
};

}  // namespace sheaf
