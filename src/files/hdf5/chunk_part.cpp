// SPDX-License-Identifier: MIT
#include "files/hdf5/chunk_part.hpp"

#include <algorithm>

namespace sheaf {

ChunkPart::ChunkPart(const std::vector<hsize_t>& corner, const std::vector<std::int64_t>& chunk,
                     const std::vector<std::int64_t>& shape, IndexRange rows)
    : chunk_(chunk), shape_(shape) {
  for (std::size_t dimension = 0; dimension < shape.size(); ++dimension) {
    const auto first = static_cast<std::int64_t>(corner[dimension]);
    const IndexRange wanted = dimension == 0 ? rows : IndexRange{0, shape[dimension]};
    begin_.push_back(std::max<std::int64_t>(0, wanted.begin - first));
    sides_.push_back(std::min(wanted.end - first, chunk[dimension]) - begin_.back());
    origin_.push_back(first - wanted.begin);
  }
  run_dimension_ = shape.size() - 1;
  while (run_dimension_ > 0 && chunk[run_dimension_] == shape[run_dimension_]) --run_dimension_;
  run_ = sides_[run_dimension_];
  for (std::size_t dimension = run_dimension_ + 1; dimension < shape.size(); ++dimension) run_ *= shape[dimension];
}

}  // namespace sheaf
