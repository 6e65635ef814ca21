// The activations and their derivatives, for Highway kernels. Included once per instruction set.
// SPDX-License-Identifier: MIT
#if defined(SHEAF_ACTIVATION_POINTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SHEAF_ACTIVATION_POINTS_INL
#undef SHEAF_ACTIVATION_POINTS_INL
#else
#define SHEAF_ACTIVATION_POINTS_INL
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <type_traits>

#include "study/activations.hpp"

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Value>
using Tag = hn::ScalableTag<Value>;

// f(value) and f'(value).
template <class V>
struct Point {
  V value;
  V slope;
};

struct Relu {
  template <class D, class V>
  HWY_INLINE Point<V> operator()(D d, V value) const {
    const V zero = hn::Zero(d);
    return {hn::IfThenZeroElse(hn::Lt(value, zero), value),  // not hn::Max, which turns NaN into zero
            hn::IfThenElseZero(hn::Gt(value, zero), hn::Set(d, 1))};
  }
};

struct Tanh {
  template <class D, class V>
  HWY_INLINE Point<V> operator()(D d, V value) const {
    const V result = hn::Tanh(d, value);
    return {result, hn::NegMulAdd(result, result, hn::Set(d, 1))};
  }
};

struct Sigmoid {
  template <class D, class V>
  HWY_INLINE Point<V> operator()(D d, V value) const {
    const V one = hn::Set(d, 1);
    const V power = hn::Exp(d, hn::Neg(hn::Abs(value)));  // hn::Exp does not accept large arguments
    const V larger = hn::Div(one, hn::Add(one, power)), smaller = hn::Mul(power, larger);
    const V result = hn::IfThenElse(hn::Lt(value, hn::Zero(d)), smaller, larger);
    return {hn::IfThenElse(hn::Eq(value, value), result, value), hn::Mul(smaller, larger)};
  }
};

// x sigmoid(x), also called swish.
struct Silu {
  template <class D, class V>
  HWY_INLINE Point<V> operator()(D d, V value) const {
    const V one = hn::Set(d, 1);
    const V power = hn::Exp(d, hn::Neg(hn::Abs(value)));
    const V larger = hn::Div(one, hn::Add(one, power)), smaller = hn::Mul(power, larger);
    const auto is_negative = hn::Lt(value, hn::Zero(d));
    const V sigmoid = hn::IfThenElse(is_negative, smaller, larger);
    const V rest = hn::IfThenElse(is_negative, larger, smaller);  // 1 - sigmoid
    const V result = hn::Mul(value, sigmoid);
    return {result, hn::MulAdd(result, rest, sigmoid)};
  }
};

// For x >= 0, erfc(x) exp(x^2) is t exp(P(2 t - 1)) with t = 2 / (2 + x). These are the Chebyshev coefficients of P,
// the first one halved. The formula is from Numerical Recipes, 3rd ed., 6.2.2; the coefficients were computed with 40
// digits from the definition. The relative error is below 2e-15 with all coefficients, and below 1e-7 with those for
// float.
constexpr double erfc_coefficients[] = {
    -0.65132685989085463965,    0.64196979235649010765,     0.019476473204185982246,    -0.0095615147868087665979,
    -0.00094659534448191682658, 0.00036683949785265982924,  0.000042523324806988016231, -0.000020278578112590775294,
    -1.6242900046158453706e-6,  1.3036558355755918487e-6,   1.5626441700620755185e-8,   -8.5238095867748813466e-8,
    6.529054367586364688e-9,    5.059343589289224472e-9,    -9.9136426969683258868e-10, -2.2736499295106964451e-10,
    9.6467769338060920307e-11,  2.3941879478635785637e-12,  -6.8861811800754562421e-12, 8.9464086803430544755e-13,
    3.1294438909020876933e-13,  -1.1256998367206062666e-13, 2.5639971256052069614e-16,  7.2136022868128038616e-15};

template <class D, class V>
HWY_INLINE V scaled_erfc(D d, V x) {
  using Value = hn::TFromD<D>;
  constexpr int count = std::is_same_v<Value, float> ? 10 : 24;
  const V two = hn::Set(d, 2);
  const V t = hn::Div(two, hn::Add(two, x));
  const V twice = hn::Sub(hn::Mul(hn::Set(d, 4), t), two);  // 2 (2 t - 1)
  V sum = hn::Zero(d), before = hn::Zero(d);                // Clenshaw's recurrence
  for (int index = count - 1; index > 0; --index) {
    const V next = hn::Add(hn::MulSub(twice, sum, before), hn::Set(d, static_cast<Value>(erfc_coefficients[index])));
    before = sum;
    sum = next;
  }
  const V exponent = hn::MulAdd(hn::Mul(twice, hn::Set(d, static_cast<Value>(0.5))), sum,
                                hn::Sub(hn::Set(d, static_cast<Value>(erfc_coefficients[0])), before));
  return hn::Mul(t, hn::Exp(d, exponent));
}

// The erf form: x Phi(x), where Phi is the cumulative distribution function of the normal distribution.
struct Gelu {
  template <class D, class V>
  HWY_INLINE Point<V> operator()(D d, V value) const {
    using Value = hn::TFromD<D>;
    constexpr double root_half = 0.70710678118654752440, root_half_over_pi = 0.39894228040143267794;
    const V one = hn::Set(d, 1), half = hn::Set(d, static_cast<Value>(0.5));
    const V scaled = hn::Mul(hn::Abs(value), hn::Set(d, static_cast<Value>(root_half)));
    const V bell = hn::Exp(d, hn::Neg(hn::Mul(scaled, scaled)));  // exp(-x^2 / 2)
    const V tail = hn::Mul(half, hn::Mul(bell, scaled_erfc(d, scaled)));
    const V below = hn::IfThenElse(hn::Lt(value, hn::Zero(d)), tail, hn::Sub(one, tail));
    const V density = hn::Mul(bell, hn::Set(d, static_cast<Value>(root_half_over_pi)));
    return {hn::Mul(value, below), hn::MulAdd(value, density, below)};
  }
};

struct LeakyRelu {
  template <class D, class V>
  HWY_INLINE Point<V> operator()(D d, V value) const {
    const auto is_positive = hn::Gt(value, hn::Zero(d));
    const V below = hn::Set(d, static_cast<hn::TFromD<D>>(0.01));
    return {hn::IfThenElse(is_positive, value, hn::Mul(below, value)),
            hn::IfThenElse(is_positive, hn::Set(d, 1), below)};
  }
};

// scale * x for x > 0, and scale * alpha * (exp(x) - 1) below.
template <class D, class V>
HWY_INLINE Point<V> exponential_linear(D d, V value, double scale, double alpha) {
  using Value = hn::TFromD<D>;
  const V above = hn::Set(d, static_cast<Value>(scale)), below = hn::Set(d, static_cast<Value>(scale * alpha));
  const V power = hn::Expm1(d, hn::Min(value, hn::Zero(d)));  // hn::Expm1 does not accept large arguments
  const auto is_below = hn::Le(value, hn::Zero(d));           // not if it is NaN, which hn::Min may lose
  return {hn::IfThenElse(is_below, hn::Mul(below, power), hn::Mul(above, value)),
          hn::IfThenElse(is_below, hn::MulAdd(below, power, below), above)};
}

struct Elu {
  template <class D, class V>
  HWY_INLINE Point<V> operator()(D d, V value) const {
    return exponential_linear(d, value, 1, 1);
  }
};

// Source of the constants: Klambauer et al. 2017, Self-Normalizing Neural Networks.
struct Selu {
  template <class D, class V>
  HWY_INLINE Point<V> operator()(D d, V value) const {
    return exponential_linear(d, value, 1.0507009873554804934, 1.6732632423543772848);
  }
};

// x tanh(ln(1 + e^x)). With p = e^-|x|, the tanh is n / (n + r), where n = 1 + 2 p and r = 2 p^2 for x >= 0, and
// n = p (p + 2) and r = 2 for x < 0.
struct Mish {
  template <class D, class V>
  HWY_INLINE Point<V> operator()(D d, V value) const {
    const V one = hn::Set(d, 1), two = hn::Set(d, 2);
    const V power = hn::Exp(d, hn::Neg(hn::Abs(value)));
    const auto is_negative = hn::Lt(value, hn::Zero(d));
    const V numerator = hn::IfThenElse(is_negative, hn::Mul(power, hn::Add(power, two)), hn::MulAdd(two, power, one));
    const V rest = hn::IfThenElse(is_negative, two, hn::Mul(two, hn::Mul(power, power)));
    const V inverse = hn::Div(one, hn::Add(numerator, rest));
    const V tanh = hn::Mul(numerator, inverse), tanh_rest = hn::Mul(rest, inverse);  // the second is 1 - tanh
    const V sigmoid = hn::Div(hn::IfThenElse(is_negative, power, one), hn::Add(one, power));
    const V tanh_slope = hn::Mul(tanh_rest, hn::Add(one, tanh));
    return {hn::Mul(value, tanh), hn::MulAdd(hn::Mul(value, sigmoid), tanh_slope, tanh)};
  }
};

// Calls `use` with the function object for `kind`.
template <class Use>
void with_function(Activation kind, const Use& use) {
  switch (kind) {
    case Activation::relu:
      return use(Relu());
    case Activation::tanh:
      return use(Tanh());
    case Activation::sigmoid:
      return use(Sigmoid());
    case Activation::gelu:
      return use(Gelu());
    case Activation::silu:
      return use(Silu());
    case Activation::leaky_relu:
      return use(LeakyRelu());
    case Activation::elu:
      return use(Elu());
    case Activation::selu:
      return use(Selu());
    case Activation::mish:
      return use(Mish());
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sheaf
HWY_AFTER_NAMESPACE();

#endif
