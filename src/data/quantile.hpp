// Quantiles as NumPy computes them by default: interpolated between the two nearest values. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace sheaf {

/// The quantile of at least one value. Reorders the values.
double quantile(std::vector<float>& values, double fraction);

/// The same of values in ascending order.
double quantile_of_sorted(const std::vector<float>& values, double fraction);

}  // namespace sheaf
