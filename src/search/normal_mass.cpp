// SPDX-License-Identifier: MIT
#include "search/normal_mass.hpp"

#include <cassert>
#include <cmath>

namespace sheaf {
namespace {

constexpr double sqrt_half = 0.70710678118654752440;
constexpr double log_sqrt_two_pi = 0.91893853320467274178;

}  // namespace

double normal_tail(double z) {
  assert(z >= 0);
  return 0.5 * std::erfc(z * sqrt_half);
}

double log_mean_normal_density(double center, double width) {
  assert(width > 0);
  const double distance = std::abs(center), half = 0.5 * width;
  if (width < 0.01) {
    // The difference of two tails would lose digits. Series of the logarithm of the mean of exp(-z^2 / 2) in powers of
    // the width: the cumulants of a uniform distribution.
    const double d2 = distance * distance, w2 = width * width;
    return -0.5 * d2 - log_sqrt_two_pi + w2 * ((d2 - 1) / 24 - w2 * (d2 * (d2 + 4) - 2) / 2880);
  }
  const double mass = distance < half
                          ? 0.5 * (std::erf((half - distance) * sqrt_half) + std::erf((half + distance) * sqrt_half))
                          : normal_tail(distance - half) - normal_tail(distance + half);
  return std::log(mass / width);
}

}  // namespace sheaf
