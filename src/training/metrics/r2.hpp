// R2, the coefficient of determination. Source: scikit-learn's r2_score (uniform_average).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "training/metrics/accumulator.hpp"

namespace sheaf {

/// The mean over outputs of 1 - residual / total sum of squares, in double; NaN for fewer than two rows. An output with
/// a constant target counts as 1 if all rows are predicted exactly, otherwise as 0.
std::unique_ptr<Accumulator> make_r2(std::int64_t output_count);

/// 1 - residual / total, of the squares or the variance of an output; if the total is 0, 1 without residuals and 0 with
/// some, as in scikit-learn. Pure.
double explained_share(double residual, double total);

}  // namespace sheaf
