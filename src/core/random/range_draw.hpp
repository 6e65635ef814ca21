// Random numbers from a range, for random searches. They use only sums, products and quotients, so that they have the
// same bits on all processors; exp and log of the C library do not. Pure.
// SPDX-License-Identifier: MIT
#pragma once

namespace sheaf {

/// The number at `position` in [0, 1) of the range [low, high].
double uniform_on(double low, double high, double position);

/// The number at `position` in [0, 1) of the range [low, high] on a logarithmic scale: low * (high / low)^position, to
/// about 14 digits. Requires 0 < low <= high.
double log_uniform_on(double low, double high, double position);

}  // namespace sheaf
