// SPDX-License-Identifier: MIT
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engines/native/update_kernels.cpp"  // compiled once for each instruction set
#include <hwy/foreach_target.h>
// Highway requires this order of includes.
#include <hwy/highway.h>

#include "engines/native/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Value>
using Tag = hn::ScalableTag<Value>;

// The coefficients of the rule as vectors.
template <class Value>
struct Coefficients {
  explicit Coefficients(const UpdateRule<Value>& rule)
      : rate(hn::Set(Tag<Value>(), rule.rate)),
        weight_decay(hn::Set(Tag<Value>(), rule.weight_decay)),
        shrink(hn::Set(Tag<Value>(), rule.shrink)),
        momentum(hn::Set(Tag<Value>(), rule.momentum)),
        first_decay(hn::Set(Tag<Value>(), static_cast<Value>(rule.first_decay))),
        first_weight(hn::Set(Tag<Value>(), static_cast<Value>(1 - rule.first_decay))),
        second_decay(hn::Set(Tag<Value>(), static_cast<Value>(rule.second_decay))),
        second_weight(hn::Set(Tag<Value>(), static_cast<Value>(1 - rule.second_decay))),
        root_scale(hn::Set(Tag<Value>(), rule.root_scale)),
        epsilon(hn::Set(Tag<Value>(), rule.epsilon)) {}

  hn::Vec<Tag<Value>> rate, weight_decay, shrink, momentum, first_decay, first_weight, second_decay, second_weight,
      root_scale, epsilon;
};

struct Sgd {
  template <class D, class V, class N>
  HWY_INLINE V operator()(D, const N& n, V gradient, V parameter, V&, V&) const {
    return hn::NegMulAdd(n.rate, hn::MulAdd(n.weight_decay, parameter, gradient), parameter);
  }
};

template <bool nesterov>
struct SgdMomentum {
  template <class D, class V, class N>
  HWY_INLINE V operator()(D, const N& n, V gradient, V parameter, V& velocity, V&) const {
    gradient = hn::MulAdd(n.weight_decay, parameter, gradient);
    velocity = hn::MulAdd(n.momentum, velocity, gradient);
    const V direction = nesterov ? hn::MulAdd(n.momentum, velocity, gradient) : velocity;
    return hn::NegMulAdd(n.rate, direction, parameter);
  }
};

struct Adam {
  template <class D, class V, class N>
  HWY_INLINE V operator()(D, const N& n, V gradient, V parameter, V& first, V& second) const {
    gradient = hn::MulAdd(n.weight_decay, parameter, gradient);
    first = hn::MulAdd(n.first_decay, first, hn::Mul(n.first_weight, gradient));
    second = hn::MulAdd(n.second_decay, second, hn::Mul(n.second_weight, hn::Mul(gradient, gradient)));
    const V root = hn::MulAdd(hn::Sqrt(second), n.root_scale, n.epsilon);
    return hn::NegMulAdd(n.rate, hn::Div(first, root), hn::Mul(n.shrink, parameter));
  }
};

template <bool with_momentum>
struct RmsProp {
  template <class D, class V, class N>
  HWY_INLINE V operator()(D, const N& n, V gradient, V parameter, V& velocity, V& square) const {
    gradient = hn::MulAdd(n.weight_decay, parameter, gradient);
    square = hn::MulAdd(n.second_decay, square, hn::Mul(n.second_weight, hn::Mul(gradient, gradient)));
    V direction = hn::Div(gradient, hn::Add(hn::Sqrt(square), n.epsilon));
    if (with_momentum) direction = velocity = hn::MulAdd(n.momentum, velocity, direction);
    return hn::NegMulAdd(n.rate, direction, parameter);
  }
};

template <class Step, bool has_first, bool has_second, class Value>
void update(const UpdateRule<Value>& rule, const Value* gradients, std::int64_t count, Value* parameters, Value* first,
            Value* second) {
  const Tag<Value> d;
  const Coefficients<Value> coefficients(rule);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t index = 0; index < count; index += lanes) {
    auto state1 = has_first ? hn::Load(d, first + index) : hn::Zero(d);
    auto state2 = has_second ? hn::Load(d, second + index) : hn::Zero(d);
    const auto updated =
        Step()(d, coefficients, hn::Load(d, gradients + index), hn::Load(d, parameters + index), state1, state2);
    hn::Store(updated, d, parameters + index);
    if (has_first) hn::Store(state1, d, first + index);
    if (has_second) hn::Store(state2, d, second + index);
  }
}

template <class Value>
UpdateKernels<Value> table() {
  return {update<Sgd, false, false, Value>,
          update<SgdMomentum<false>, true, false, Value>,
          update<SgdMomentum<true>, true, false, Value>,
          update<Adam, true, true, Value>,
          update<RmsProp<false>, false, true, Value>,
          update<RmsProp<true>, true, true, Value>};
}

UpdateKernels<float> float_table() {
  return table<float>();
}

UpdateKernels<double> double_table() {
  return table<double>();
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sheaf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sheaf {

HWY_EXPORT(float_table);
HWY_EXPORT(double_table);

template <>
UpdateKernels<float> update_kernels() {
  return HWY_DYNAMIC_DISPATCH(float_table)();
}

template <>
UpdateKernels<double> update_kernels() {
  return HWY_DYNAMIC_DISPATCH(double_table)();
}

}  // namespace sheaf
#endif
