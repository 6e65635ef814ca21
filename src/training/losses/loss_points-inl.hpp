// The losses of single outputs and their derivatives, for Highway kernels. Included once per instruction set.
// SPDX-License-Identifier: MIT
#if defined(SHEAF_LOSS_POINTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SHEAF_LOSS_POINTS_INL
#undef SHEAF_LOSS_POINTS_INL
#else
#define SHEAF_LOSS_POINTS_INL
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cassert>
#include <type_traits>

#include "study/losses.hpp"

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Value>
using Tag = hn::ScalableTag<Value>;

// exp(x) for x <= 0. In float it takes half as much work as hn::Exp, which accepts any x. NaN stays NaN, while hn::Exp
// returns zero. Below -87.3 the result is 1.2e-38, about the smallest normal number. The relative error is 8.5e-8 if
// multiplications and additions are fused.
template <class D, class V>
HWY_INLINE V exp_of_negative(D d, V x) {
  if constexpr (std::is_same_v<hn::TFromD<D>, double>) {
    return hn::IfThenElse(hn::Eq(x, x), hn::Exp(d, x), x);
  } else {
    // x = n ln 2 + r. Adding 1.5 * 2^23 rounds to an integer n in the lowest bits. With 127 added, these are the
    // exponent bits of 2^n.
    const V rounder = hn::Set(d, 12582912.0f + 127.0f);
    const V ln2_high = hn::Set(d, 0.693359375f), ln2_low = hn::Set(d, -2.12194440e-4f);
    x = hn::Max(hn::Set(d, -87.3f), x);
    const V shifted = hn::MulAdd(x, hn::Set(d, 1.44269504f), rounder);
    const V n = hn::Sub(shifted, rounder);
    const V r = hn::NegMulAdd(n, ln2_low, hn::NegMulAdd(n, ln2_high, x));
    const V power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(hn::RebindToSigned<D>(), shifted)));
    // (exp(r) - 1 - r) / r^2 by the polynomial of Cephes' expf.
    V sum = hn::Set(d, 1.9875691500e-4f);
    for (const float factor : {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 0.5f})
      sum = hn::MulAdd(sum, r, hn::Set(d, factor));
    return hn::MulAdd(hn::MulAdd(hn::Mul(sum, r), r, r), power, power);
  }
}

// exp(x) for any x; infinity above 88.7 (float) or 700 (double). hn::Exp is not defined for much larger x, and returns
// zero for NaN, which stays NaN here.
template <class D, class V>
HWY_INLINE V exp_of(D d, V x) {
  using Value = hn::TFromD<D>;
  const V limit = hn::Set(d, std::is_same_v<Value, double> ? Value(700) : Value(88.7f));
  const V power = hn::IfThenElse(hn::Gt(x, limit), hn::Inf(d), hn::Exp(d, hn::Min(x, limit)));
  return hn::IfThenElse(hn::Eq(x, x), power, x);
}

// The loss of one output and its derivative.
template <class V>
struct Point {
  V loss;
  V slope;
};

struct SquaredError {
  template <class D, class V>
  HWY_INLINE Point<V> operator()(D, V output, V target) const {
    const V difference = hn::Sub(output, target);
    return {hn::Mul(difference, difference), hn::Add(difference, difference)};
  }
};

// Binary cross entropy of a logit z: max(z, 0) - z y + ln(1 + exp(-|z|)).
struct LogitCrossEntropy {
  template <class D, class V>
  HWY_INLINE Point<V> operator()(D d, V output, V target) const {
    const V one = hn::Set(d, 1), zero = hn::Zero(d);
    const V power = exp_of_negative(d, hn::Neg(hn::Abs(output)));
    const V larger = hn::Div(one, hn::Add(one, power));  // the sigmoid of |z|
    const V sigmoid = hn::IfThenElse(hn::Lt(output, zero), hn::Mul(power, larger), larger);
    const V loss = hn::Add(hn::NegMulAdd(output, target, hn::Max(output, zero)), hn::Log1p(d, power));
    return {loss, hn::Sub(sigmoid, target)};
  }
};

struct AbsoluteError {
  template <class D, class V>
  HWY_INLINE Point<V> operator()(D d, V output, V target) const {
    const V difference = hn::Sub(output, target);
    return {hn::Abs(difference),
            hn::IfThenElseZero(hn::Ne(difference, hn::Zero(d)), hn::CopySign(hn::Set(d, 1), difference))};
  }
};

// r^2 / 2 up to |r| = delta, then the tangent.
template <class Value>
struct Huber {
  Value delta;

  template <class D, class V>
  HWY_INLINE Point<V> operator()(D d, V output, V target) const {
    const V difference = hn::Sub(output, target), size = hn::Abs(difference), limit = hn::Set(d, delta);
    const V smaller = hn::Min(size, limit);
    const V loss = hn::Mul(smaller, hn::NegMulAdd(hn::Set(d, Value{0.5}), smaller, size));
    return {loss, hn::Max(hn::Min(difference, limit), hn::Neg(limit))};
  }
};

// The negative log-likelihood of a Poisson distribution with the mean exp(output), without its constant term.
struct PoissonLikelihood {
  template <class D, class V>
  HWY_INLINE Point<V> operator()(D d, V output, V target) const {
    const V mean = exp_of(d, output);
    return {hn::NegMulAdd(output, target, mean), hn::Sub(mean, target)};
  }
};

// The pinball loss of a quantile.
template <class Value>
struct Pinball {
  Value quantile;

  template <class D, class V>
  HWY_INLINE Point<V> operator()(D d, V output, V target) const {
    const V error = hn::Sub(target, output);
    const V slope = hn::IfThenElse(hn::Lt(error, hn::Zero(d)), hn::Set(d, 1 - quantile), hn::Set(d, -quantile));
    return {hn::Neg(hn::Mul(error, slope)), slope};
  }
};

// Calls use(point) with the formula of a loss that has one term per output.
template <class Value, class Use>
double with_point_formula(const LossFunction& loss, const Use& use) {
  switch (loss.kind) {
    case LossKind::mse:
      return use(SquaredError());
    case LossKind::bce:
      return use(LogitCrossEntropy());
    case LossKind::mae:
      return use(AbsoluteError());
    case LossKind::huber:
      return use(Huber<Value>{static_cast<Value>(loss.delta)});
    case LossKind::poisson:
      return use(PoissonLikelihood());
    case LossKind::quantile:
      return use(Pinball<Value>{static_cast<Value>(loss.quantile)});
    case LossKind::cross_entropy:
      break;
  }
  assert(false);  // cross_entropy has no formula for each output
  return 0;
}

template <class Value>
void store_sum(hn::Vec<Tag<Value>> lanes, bool accumulate, Value& sum) {
  const Value total = hn::GetLane(hn::SumOfLanes(Tag<Value>(), lanes));
  sum = accumulate ? sum + total : total;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sheaf
HWY_AFTER_NAMESPACE();

#endif
