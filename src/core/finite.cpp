// Compiled once for each instruction set (Highway includes this file again).
// SPDX-License-Identifier: MIT
#include "core/finite.hpp"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/finite.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Returns the length of a prefix whose values are all finite; the rest is unchecked. Checks four vectors at a time,
// since zero times a finite value is zero.
template <class Real>
std::int64_t finite_vectors(const Real* values, std::int64_t count) {
  const hn::ScalableTag<Real> tag;
  const auto zero = hn::Zero(tag);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(tag));
  std::int64_t index = 0;
  for (; index + 4 * lanes <= count; index += 4 * lanes) {
    const Real* from = values + index;
    const auto first = hn::MulAdd(zero, hn::LoadU(tag, from), hn::Mul(zero, hn::LoadU(tag, from + lanes)));
    const auto second =
        hn::MulAdd(zero, hn::LoadU(tag, from + 2 * lanes), hn::Mul(zero, hn::LoadU(tag, from + 3 * lanes)));
    if (!hn::AllTrue(tag, hn::Eq(hn::Add(first, second), zero))) break;
  }
  return index;
}

std::int64_t finite_floats(const float* values, std::int64_t count) {
  return finite_vectors(values, count);
}

std::int64_t finite_doubles(const double* values, std::int64_t count) {
  return finite_vectors(values, count);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sheaf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sheaf {
namespace {

HWY_EXPORT(finite_floats);
HWY_EXPORT(finite_doubles);

// Searches from index `finite`.
template <class Real>
std::int64_t find_not_finite(const Real* values, std::int64_t finite, std::int64_t count) {
  return std::find_if_not(values + finite, values + count, [](Real value) { return std::isfinite(value); }) - values;
}

}  // namespace

std::int64_t first_not_finite(const float* values, std::int64_t count) {
  return find_not_finite(values, HWY_DYNAMIC_DISPATCH(finite_floats)(values, count), count);
}

std::int64_t first_not_finite(const double* values, std::int64_t count) {
  return find_not_finite(values, HWY_DYNAMIC_DISPATCH(finite_doubles)(values, count), count);
}

}  // namespace sheaf
#endif
