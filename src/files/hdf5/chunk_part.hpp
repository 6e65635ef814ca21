// The part of a chunk that belongs to some rows of a data set. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/index_range.hpp"

namespace sheaf {

/// Divides the part into runs of elements that are contiguous both in the chunk and in the rows. A part with whole rows
/// is one run.
class ChunkPart {
 public:
  /// `corner`: the first element of the chunk; `chunk` and `shape`: the extents of a chunk and of the data set, all of
  /// the same rank. The references must outlive the object. The chunk has some of the `rows`.
  ChunkPart(const std::vector<hsize_t>& corner, const std::vector<std::int64_t>& chunk,
            const std::vector<std::int64_t>& shape, IndexRange rows);

  /// Calls use(from, to, count) for each run: the index of its first element in the chunk and in the rows, and the
  /// number of its elements.
  template <class Use>
  void for_each_run(const Use& use) const {
    std::vector<std::int64_t> position(chunk_.size(), 0);
    for (;;) {
      std::int64_t from = 0, to = 0;
      for (std::size_t dimension = 0; dimension < chunk_.size(); ++dimension) {
        const std::int64_t inside = begin_[dimension] + position[dimension];
        from = from * chunk_[dimension] + inside;
        to = to * shape_[dimension] + origin_[dimension] + inside;
      }
      use(from, to, run_);
      std::size_t dimension = run_dimension_;  // to the next run: increment the dimensions before run_dimension_
      while (dimension > 0 && ++position[dimension - 1] == sides_[dimension - 1]) position[--dimension] = 0;
      if (dimension == 0) return;
    }
  }

 private:
  const std::vector<std::int64_t>& chunk_;
  const std::vector<std::int64_t>& shape_;
  std::vector<std::int64_t> begin_;   // the part's first element in the chunk
  std::vector<std::int64_t> sides_;   // its extents
  std::vector<std::int64_t> origin_;  // of the chunk in the rows
  std::size_t run_dimension_ = 0;     // the chunk covers all dimensions after it
  std::int64_t run_ = 0;
};

}  // namespace sheaf
