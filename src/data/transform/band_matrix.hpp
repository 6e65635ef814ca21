// Band matrices: the numbers of each row are contiguous. One-dimensional filters are such matrices.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/index_range.hpp"

namespace sheaf {

/// A band matrix. Row r has weights[offsets[r]] .. weights[offsets[r + 1] - 1] from column starts[r] on, and zeros
/// elsewhere.
struct BandMatrix {
  std::int64_t columns = 0;
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> offsets = {0};  ///< [rows + 1]
  std::vector<double> weights;

  std::int64_t rows() const { return static_cast<std::int64_t>(starts.size()); }
};

/// Some rows of a band matrix. The columns of `matrix` begin at `first_column`, and are those that the rows need.
struct BandRows {
  IndexRange rows;
  std::int64_t first_column = 0;
  BandMatrix matrix;
};

/// Splits a matrix into parts of `max_rows` rows; the last part may have fewer. Pure.
std::vector<BandRows> split_rows(const BandMatrix& matrix, std::int64_t max_rows);

/// The matrix that resizes a line of `from` pixels to `to` pixels, as skimage.transform.resize (order 1, mode reflect):
/// when shrinking, a Gaussian blur with sigma = (from / to - 1) / 2, truncated at 4 sigma; then linear interpolation
/// between pixel centers. A line is mirrored at its ends, without repeating the last pixel. Pure.
BandMatrix resize_operator(std::int64_t from, std::int64_t to);

}  // namespace sheaf
