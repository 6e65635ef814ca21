// SPDX-License-Identifier: MIT
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "training/losses/loss_kernels.cpp"  // compiled once for each instruction set
#include <hwy/foreach_target.h>
// Highway requires this order of includes.
#include <hwy/highway.h>

#include "training/losses/loss_kernels.hpp"
#include "training/losses/loss_points-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

template <class Formula, class Value>
double sum_by_output(const Formula& formula, const Value* bias, const BatchTargets<Value>& targets, Value scale,
                     std::int64_t output_count, std::int64_t row_count, bool accumulate, Value* outputs,
                     Value* gradients, Value* sums) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto sum = hn::Zero(d);
  for (std::int64_t output = 0; output < output_count; ++output) {
    const auto shift = hn::Set(d, bias == nullptr ? Value{0} : bias[output]);
    auto gradient_sum = hn::Zero(d);
    for (std::int64_t row = 0; row < row_count; row += lanes) {
      const std::int64_t index = output * row_count + row;
      const auto value = hn::Add(hn::Load(d, outputs + index), shift);
      const auto weight = hn::Load(d, targets.weights + row);
      const auto point = formula(d, value, hn::Load(d, targets.values + index));
      hn::Store(value, d, outputs + index);
      sum = hn::MulAdd(point.loss, weight, sum);
      if (gradients == nullptr) continue;
      const auto gradient = hn::Mul(point.slope, hn::Mul(weight, hn::Set(d, scale)));
      hn::Store(gradient, d, gradients + index);
      gradient_sum = hn::Add(gradient_sum, gradient);
    }
    if (gradients != nullptr) store_sum(gradient_sum, accumulate, sums[output]);
  }
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
}

// Softmax and cross entropy, one vector of rows at a time. `gradients` first receives the exponentials.
template <bool smooths, class Value>
double sum_cross_entropy(const Value* bias, const BatchTargets<Value>& targets, Value scale, std::int64_t output_count,
                         std::int64_t row_count, bool accumulate, Value* outputs, Value* gradients, Value* sums) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const double rest = targets.smoothing / static_cast<double>(output_count);  // the target of all but the label
  const auto rest_target = hn::Set(d, static_cast<Value>(rest));
  const auto label_target = hn::Set(d, static_cast<Value>(1 - targets.smoothing + rest));
  auto sum = hn::Zero(d);
  for (std::int64_t row = 0; row < row_count; row += lanes) {
    const auto label = hn::Load(d, targets.labels + row);
    const auto weight = hn::Load(d, targets.weights + row);
    auto largest = hn::Set(d, -hwy::HighestValue<Value>());
    auto chosen = hn::Zero(d), all = hn::Zero(d);  // the logits of the label and of all classes
    for (std::int64_t output = 0; output < output_count; ++output) {
      Value* values = outputs + output * row_count + row;
      const auto value = hn::Add(hn::Load(d, values), hn::Set(d, bias == nullptr ? Value{0} : bias[output]));
      hn::Store(value, d, values);
      largest = hn::Max(largest, value);
      chosen = hn::IfThenElse(hn::Eq(label, hn::Set(d, static_cast<Value>(output))), value, chosen);
      if (smooths) all = hn::Add(all, value);
    }
    auto total = hn::Zero(d);
    for (std::int64_t output = 0; output < output_count; ++output) {
      const std::int64_t index = output * row_count + row;
      const auto power = exp_of_negative(d, hn::Sub(hn::Load(d, outputs + index), largest));
      total = hn::Add(total, power);
      if (gradients != nullptr) hn::Store(power, d, gradients + index);
    }
    // hn::Log does not preserve NaN, so total - total is added: zero or NaN.
    auto loss = hn::Add(hn::Add(hn::Log(d, total), hn::Sub(total, total)), hn::Sub(largest, chosen));
    if (smooths)
      loss = hn::Add(loss,
                     hn::MulSub(hn::Set(d, static_cast<Value>(targets.smoothing)), chosen, hn::Mul(rest_target, all)));
    sum = hn::MulAdd(loss, weight, sum);
    if (gradients == nullptr) continue;
    const auto factor = hn::Mul(weight, hn::Set(d, scale));
    const auto probability_factor = hn::Div(factor, total);
    for (std::int64_t output = 0; output < output_count; ++output) {
      Value* values = gradients + output * row_count + row;
      const auto is_label = hn::Eq(label, hn::Set(d, static_cast<Value>(output)));
      const auto target = smooths ? hn::Mul(factor, hn::IfThenElse(is_label, label_target, rest_target))
                                  : hn::IfThenElseZero(is_label, factor);
      hn::Store(hn::MulSub(hn::Load(d, values), probability_factor, target), d, values);
    }
  }
  for (std::int64_t output = 0; gradients != nullptr && output < output_count; ++output) {
    auto gradient_sum = hn::Zero(d);
    for (std::int64_t row = 0; row < row_count; row += lanes)
      gradient_sum = hn::Add(gradient_sum, hn::Load(d, gradients + output * row_count + row));
    store_sum(gradient_sum, accumulate, sums[output]);
  }
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
}

template <class Value>
double loss(const LossFunction& function, const Value* bias, const BatchTargets<Value>& targets, Value scale,
            std::int64_t output_count, std::int64_t row_count, bool accumulate, Value* outputs, Value* gradients,
            Value* sums) {
  if (loss_of(function.kind).targets == LossTargets::labels) {
    const auto cross_entropy = targets.smoothing > 0 ? sum_cross_entropy<true, Value> : sum_cross_entropy<false, Value>;
    return cross_entropy(bias, targets, scale, output_count, row_count, accumulate, outputs, gradients, sums);
  }
  return with_point_formula<Value>(function, [&](const auto& formula) {
    return sum_by_output(formula, bias, targets, scale, output_count, row_count, accumulate, outputs, gradients, sums);
  });
}

LossKernels<float> float_table() {
  return {loss<float>};
}

LossKernels<double> double_table() {
  return {loss<double>};
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
LossKernels<float> loss_kernels() {
  return HWY_DYNAMIC_DISPATCH(float_table)();
}

template <>
LossKernels<double> loss_kernels() {
  return HWY_DYNAMIC_DISPATCH(double_table)();
}

}  // namespace sheaf
#endif
