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
        corrected_rate(hn::Set(Tag<Value>(), rule.corrected_rate)),
        gradient_rate(hn::Set(Tag<Value>(), rule.gradient_rate)),
        root_scale(hn::Set(Tag<Value>(), rule.root_scale)),
        weight_decay(hn::Set(Tag<Value>(), rule.weight_decay)),
        shrink(hn::Set(Tag<Value>(), rule.shrink)),
        momentum(hn::Set(Tag<Value>(), rule.momentum)),
        beta1(hn::Set(Tag<Value>(), static_cast<Value>(rule.beta1))),
        rest1(hn::Set(Tag<Value>(), static_cast<Value>(1 - rule.beta1))),
        beta2(hn::Set(Tag<Value>(), static_cast<Value>(rule.beta2))),
        rest2(hn::Set(Tag<Value>(), static_cast<Value>(1 - rule.beta2))),
        alpha(hn::Set(Tag<Value>(), static_cast<Value>(rule.alpha))),
        alpha_rest(hn::Set(Tag<Value>(), static_cast<Value>(1 - rule.alpha))),
        epsilon(hn::Set(Tag<Value>(), rule.epsilon)) {}

  // The rest of a decay rate is 1 minus it.
  hn::Vec<Tag<Value>> rate, corrected_rate, gradient_rate, root_scale, weight_decay, shrink, momentum, beta1, rest1,
      beta2, rest2, alpha, alpha_rest, epsilon;
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

// Adds the weight decay to the gradient and updates its running mean and that of its square. Returns the denominator.
template <class V, class N>
HWY_INLINE V update_moments(const N& n, V parameter, V& gradient, V* states) {
  V &first = states[0], &second = states[1];
  gradient = hn::MulAdd(n.weight_decay, parameter, gradient);
  first = hn::MulAdd(n.beta1, first, hn::Mul(n.rest1, gradient));
  second = hn::MulAdd(n.beta2, second, hn::Mul(n.rest2, hn::Mul(gradient, gradient)));
  return hn::MulAdd(hn::Sqrt(second), n.root_scale, n.epsilon);
}

struct Adam {
  template <class D, class V, class N>
  HWY_INLINE V operator()(D, const N& n, V gradient, V parameter, V* states) const {
    const V root = update_moments(n, parameter, gradient, states);
    return hn::NegMulAdd(n.corrected_rate, hn::Div(states[0], root), hn::Mul(n.shrink, parameter));
  }
};

struct Nadam {
  template <class D, class V, class N>
  HWY_INLINE V operator()(D, const N& n, V gradient, V parameter, V* states) const {
    const V root = update_moments(n, parameter, gradient, states);
    const V step = hn::MulAdd(n.corrected_rate, states[0], hn::Mul(n.gradient_rate, gradient));
    return hn::Sub(parameter, hn::Div(step, root));
  }
};

template <bool with_momentum>
struct RmsProp {
  template <class D, class V, class N>
  HWY_INLINE V operator()(D, const N& n, V gradient, V parameter, V* states) const {
    V& square = states[0];
    gradient = hn::MulAdd(n.weight_decay, parameter, gradient);
    square = hn::MulAdd(n.alpha, square, hn::Mul(n.alpha_rest, hn::Mul(gradient, gradient)));
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

// The step of each optimizer. The table of optimizers has the number of its states.
template <class Value>
Update<Value> update_of(const TrainOptions& train) {
  using Kind = OptimizerKind;
  const bool with_momentum = train.momentum > 0;
  switch (train.optimizer) {
    case Kind::sgd:
      if (!with_momentum) return update<Sgd, state_count_of(Kind::sgd, false), Value>;
      return train.nesterov ? update<SgdMomentum<true>, state_count_of(Kind::sgd, true), Value>
                            : update<SgdMomentum<false>, state_count_of(Kind::sgd, true), Value>;
    case Kind::adam:
    case Kind::adamw:  // differs by its weight decay only
      return update<Adam, state_count_of(Kind::adam, false), Value>;
    case Kind::rmsprop:
      return with_momentum ? update<RmsProp<true>, state_count_of(Kind::rmsprop, true), Value>
                           : update<RmsProp<false>, state_count_of(Kind::rmsprop, false), Value>;
    case Kind::nadam:
      return update<Nadam, state_count_of(Kind::nadam, false), Value>;
  }
  return nullptr;
}

Update<float> float_update(const TrainOptions& train) {
  return update_of<float>(train);
}

Update<double> double_update(const TrainOptions& train) {
  return update_of<double>(train);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sheaf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sheaf {

HWY_EXPORT(float_update);
HWY_EXPORT(double_update);

template <>
Update<float> update_kernel(const TrainOptions& train) {
  return HWY_DYNAMIC_DISPATCH(float_update)(train);
}

template <>
Update<double> update_kernel(const TrainOptions& train) {
  return HWY_DYNAMIC_DISPATCH(double_update)(train);
}

}  // namespace sheaf
#endif
