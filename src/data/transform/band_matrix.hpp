// Sparse matrices whose rows have their numbers side by side: what filters of one dimension are.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/index_range.hpp"

namespace sheaf {

/// A matrix of which row r holds weights[offsets[r]] .. weights[offsets[r + 1] - 1] from column starts[r] on, and zeros
/// elsewhere.
struct BandMatrix {
  std::int64_t columns = 0;
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> offsets = {0};  ///< one more than there are rows
  std::vector<double> weights;

  std::int64_t rows() const { return static_cast<std::int64_t>(starts.size()); }
};

/// The matrix of rows `rows` alone, over the columns from `first_column` on that they need.
struct BandRows {
  IndexRange rows;
  std::int64_t first_column = 0;
  BandMatrix matrix;
};

/// All rows in their order, `most_rows` at a time but for the last. Pure.
std::vector<BandRows> split_rows(const BandMatrix& matrix, std::int64_t most_rows);

/// What makes `to` pixels of a line of `from`, as skimage.transform.resize (order 1, mode reflect) does it: when it
/// shrinks, a Gaussian blur of sigma = (from / to - 1) / 2, cut at 4 sigma; then linear interpolation between pixel
/// centres. Beyond its ends a line is mirrored, its last pixel not repeated. Pure.
BandMatrix resize_operator(std::int64_t from, std::int64_t to);

}  // namespace sheaf
