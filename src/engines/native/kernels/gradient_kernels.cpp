// SPDX-License-Identifier: MIT
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engines/native/kernels/gradient_kernels.cpp"  // compiled once for each instruction set
#include <hwy/foreach_target.h>
// Highway requires this order of includes.
#include <hwy/highway.h>

#include <cmath>
#include <type_traits>

#include "engines/native/kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Value>
using Tag = hn::ScalableTag<Value>;

// A vector of values as double.
template <class D, class Value>
HWY_INLINE hn::Vec<D> load_as_double(D d, const Value* from) {
  if constexpr (std::is_same_v<Value, double>)
    return hn::Load(d, from);
  else
    return hn::PromoteTo(d, hn::Load(hn::Rebind<Value, D>(), from));
}

template <class Value>
double norm(const Value* gradient, std::int64_t count) {
  const Tag<double> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto even = hn::Zero(d), odd = hn::Zero(d);  // two sums, so that additions do not wait for each other
  for (std::int64_t index = 0; index < count; index += 2 * lanes) {
    const auto first = load_as_double(d, gradient + index), second = load_as_double(d, gradient + index + lanes);
    even = hn::MulAdd(first, first, even);
    odd = hn::MulAdd(second, second, odd);
  }
  return std::sqrt(hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd))));
}

template <class Value>
void scale(Value factor, std::int64_t count, Value* gradient) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t index = 0; index < count; index += lanes)
    hn::Store(hn::Mul(hn::Set(d, factor), hn::Load(d, gradient + index)), d, gradient + index);
}

template <class Value>
void clamp(Value limit, std::int64_t count, Value* gradient) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto highest = hn::Set(d, limit), lowest = hn::Set(d, -limit);
  for (std::int64_t index = 0; index < count; index += lanes) {
    const auto value = hn::Load(d, gradient + index);
    const auto limited = hn::Max(hn::Min(value, highest), lowest);
    hn::Store(hn::IfThenElse(hn::Eq(value, value), limited, value), d, gradient + index);
  }
}

template <class Value>
void add_signs(Value factor, const Value* values, std::int64_t count, Value* gradient) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t index = 0; index < count; index += lanes) {
    const auto value = hn::Load(d, values + index);
    const auto term = hn::IfThenElseZero(hn::Ne(value, hn::Zero(d)), hn::CopySign(hn::Set(d, factor), value));
    hn::Store(hn::Add(hn::Load(d, gradient + index), term), d, gradient + index);
  }
}

template <class Value>
void approach(Value share, const Value* values, std::int64_t count, Value* averages) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t index = 0; index < count; index += lanes) {
    const auto average = hn::Load(d, averages + index);
    const auto difference = hn::Sub(hn::Load(d, values + index), average);
    hn::Store(hn::MulAdd(hn::Set(d, share), difference, average), d, averages + index);
  }
}

template <class Value>
GradientKernels<Value> kernels() {
  return {norm<Value>, scale<Value>, clamp<Value>, add_signs<Value>, approach<Value>};
}

GradientKernels<float> float_kernels() {
  return kernels<float>();
}

GradientKernels<double> double_kernels() {
  return kernels<double>();
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sheaf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sheaf {

HWY_EXPORT(float_kernels);
HWY_EXPORT(double_kernels);

template <>
GradientKernels<float> gradient_kernels() {
  return HWY_DYNAMIC_DISPATCH(float_kernels)();
}

template <>
GradientKernels<double> gradient_kernels() {
  return HWY_DYNAMIC_DISPATCH(double_kernels)();
}

}  // namespace sheaf
#endif
