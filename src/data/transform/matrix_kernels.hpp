// What images are resized by: products with band matrices, and turning. Vectorised, with the widest instruction set
// that the processor has. SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "data/transform/band_matrix.hpp"

namespace sheaf {

/// out [matrix.rows(), width] = matrix x in [matrix.columns, width], both row-major; vectors run along the width.
void multiply(const BandMatrix& matrix, const double* in, std::int64_t width, double* out);

/// Row-major numbers with `stride` from one row to the next.
template <class Number>
struct Window {
  Number* values;
  std::int64_t stride;
};

/// to [columns, rows] = from [rows, columns] turned.
void transpose(Window<const double> from, std::int64_t rows, std::int64_t columns, Window<double> to);

}  // namespace sheaf
