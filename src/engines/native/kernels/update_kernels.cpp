// SPDX-License-Identifier: MIT
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engines/native/kernels/update_kernels.cpp"  // compiled once for each instruction set
#include <hwy/foreach_target.h>
// Highway requires this order of includes.
#include <hwy/highway.h>

#include "engines/native/kernels/kernels.hpp"

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
  HWY_INLINE V operator()(D, const N& n, V gradient, V parameter, V*) const {
    return hn::NegMulAdd(n.rate, hn::MulAdd(n.weight_decay, parameter, gradient), parameter);
  }
};

template <bool nesterov>
struct SgdMomentum {
  template <class D, class V, class N>
  HWY_INLINE V operator()(D, const N& n, V gradient, V parameter, V* states) const {
    V& velocity = states[0];
    gradient = hn::MulAdd(n.weight_decay, parameter, gradient);
    velocity = hn::MulAdd(n.momentum, velocity, gradient);
    const V direction = nesterov ? hn::MulAdd(n.momentum, velocity, gradient) : velocity;
    return hn::NegMulAdd(n.rate, direction, parameter);
  }
};

struct Adam {
  template <class D, class V, class N>
  HWY_INLINE V operator()(D, const N& n, V gradient, V parameter, V* states) const {
    V &first = states[0], &second = states[1];
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
  HWY_INLINE V operator()(D, const N& n, V gradient, V parameter, V* states) const {
    V& square = states[0];
    gradient = hn::MulAdd(n.weight_decay, parameter, gradient);
    square = hn::MulAdd(n.second_decay, square, hn::Mul(n.second_weight, hn::Mul(gradient, gradient)));
    V direction = hn::Div(gradient, hn::Add(hn::Sqrt(square), n.epsilon));
    if (with_momentum) direction = states[1] = hn::MulAdd(n.momentum, states[1], direction);
    return hn::NegMulAdd(n.rate, direction, parameter);
  }
};

template <class Step, int state_count, class Value>
void update(const UpdateRule<Value>& rule, const Value* gradients, std::int64_t count, Value* parameters, Value* states,
            std::int64_t state_stride) {
  const Tag<Value> d;
  const Coefficients<Value> coefficients(rule);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t index = 0; index < count; index += lanes) {
    hn::Vec<Tag<Value>> state[state_count > 0 ? state_count : 1];
    for (int which = 0; which < state_count; ++which) state[which] = hn::Load(d, states + which * state_stride + index);
    const auto updated =
        Step()(d, coefficients, hn::Load(d, gradients + index), hn::Load(d, parameters + index), state);
    hn::Store(updated, d, parameters + index);
    for (int which = 0; which < state_count; ++which) hn::Store(state[which], d, states + which * state_stride + index);
  }
}

template <class Value>
UpdateKernels<Value> table() {
  return {update<Sgd, 0, Value>,  update<SgdMomentum<false>, 1, Value>, update<SgdMomentum<true>, 1, Value>,
          update<Adam, 2, Value>, update<RmsProp<false>, 1, Value>,     update<RmsProp<true>, 2, Value>};
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
