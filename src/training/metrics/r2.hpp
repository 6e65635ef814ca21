// R2, the coefficient of determination. Source: scikit-learn's r2_score (uniform_average).
// SPDX-License-Identifier: MIT
#pragma once

#include "training/metrics/metric.hpp"

namespace sheaf {

/// The mean over outputs of 1 - residual / total sum of squares, in double. An output with a constant target counts as
/// 1 if all rows are predicted exactly, otherwise as 0.
Metric r2();

}  // namespace sheaf
