// SPDX-License-Identifier: MIT
#include "core/random/range_draw.hpp"

#include <cmath>

namespace sheaf {
namespace {

constexpr double ln_2 = 0.69314718055994530942;
constexpr double sqrt_half = 0.70710678118654752440;

// The base-2 logarithm of a positive finite number, by the series of the inverse hyperbolic tangent.
double log2_of(double value) {
  int exponent = 0;
  double mantissa = std::frexp(value, &exponent);  // in [1/2, 1)
  if (mantissa < sqrt_half) {
    mantissa *= 2;
    --exponent;
  }
  const double ratio = (mantissa - 1) / (mantissa + 1), square = ratio * ratio;  // square < 0.03
  double sum = 0;
  for (int power = 23; power >= 1; power -= 2) sum = sum * square + 1.0 / power;
  return exponent + 2 * ratio * sum / ln_2;
}

// 2^exponent, by the exponential series.
double exp2_of(double exponent) {
  const double whole = std::floor(exponent + 0.5);
  const double x = (exponent - whole) * ln_2;  // at most 0.35 in absolute value
  double sum = 1;
  for (int factor = 14; factor >= 1; --factor) sum = 1 + sum * x / factor;
  return std::ldexp(sum, static_cast<int>(whole));
}

}  // namespace

double uniform_on(double low, double high, double position) {
  return low * (1 - position) + high * position;  // high - low may overflow
}

double log_uniform_on(double low, double high, double position) {
  const double from = log2_of(low), to = log2_of(high);
  return exp2_of(from * (1 - position) + to * position);
}

}  // namespace sheaf
