// Masses of the standard normal distribution, in double precision also far from its center. Pure.
// SPDX-License-Identifier: MIT
#pragma once

namespace sheaf {

/// The mass above z, for z >= 0.
double normal_tail(double z);

/// The logarithm of the mean density on an interval with this center and width > 0: of its mass per width. Minus
/// infinity if the mass is smaller than the smallest double.
double log_mean_normal_density(double center, double width);

}  // namespace sheaf
