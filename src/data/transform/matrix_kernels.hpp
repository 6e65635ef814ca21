// Kernels to resize images: products with band matrices, and transposition. Vectorized for the widest instruction set
// of the processor.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "data/transform/band_matrix.hpp"

namespace sheaf {

/// out [matrix.rows(), width] = matrix x in [matrix.columns, width], both row-major. Vectorized along the width.
void multiply(const BandMatrix& matrix, const double* in, std::int64_t width, double* out);

/// A row-major matrix whose rows are `stride` numbers apart.
template <class Number>
struct Window {
  Number* values;
  std::int64_t stride;
};

/// to [columns, rows] = transpose of from [rows, columns].
void transpose(Window<const double> from, std::int64_t rows, std::int64_t columns, Window<double> to);

}  // namespace sheaf
