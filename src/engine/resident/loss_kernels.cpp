// SPDX-License-Identifier: MIT
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/resident/loss_kernels.cpp"  // compiled once for each instruction set
#include <hwy/foreach_target.h>
// Highway asks for this order.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "engine/resident/feature_blocks.hpp"
#include "engine/resident/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Value>
using Tag = hn::ScalableTag<Value>;

// exp(x) of x <= 0, for floats with half of the work of Highway's, which takes any x and makes zero of a NaN: here that
// stays. Below -87.3 it is 1.2e-38, about the least number that is no denormal. Relative error 8.5e-8, where products
// and sums are fused.
template <class D, class V>
HWY_INLINE V exp_of_negative(D d, V x) {
  if constexpr (std::is_same_v<hn::TFromD<D>, double>) {
    return hn::IfThenElse(hn::Eq(x, x), hn::Exp(d, x), x);
  } else {
    // x = n ln 2 + r. Adding 1.5 * 2^23 rounds to a whole n, which then stands in the last bits; with 127 more they are
    // the exponent bits of 2^n.
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

// The loss of single outputs, and its derivative.
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

template <class Value>
void note_sum(hn::Vec<Tag<Value>> lanes, bool accumulate, Value& sum) {
  const Value total = hn::GetLane(hn::SumOfLanes(Tag<Value>(), lanes));
  sum = accumulate ? sum + total : total;
}

template <class Function, class Value>
double sum_by_output(const Value* bias, const BatchTargets<Value>& targets, Value scale, std::int64_t output_count,
                     std::int64_t row_count, bool accumulate, Value* outputs, Value* gradients, Value* sums) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto sum = hn::Zero(d);
  for (std::int64_t output = 0; output < output_count; ++output) {
    const auto shift = hn::Set(d, bias == nullptr ? Value{0} : bias[output]);
    auto gradient_sum = hn::Zero(d);
    for (std::int64_t row = 0; row < row_count; row += lanes) {
      const std::int64_t place = output * row_count + row;
      const auto value = hn::Add(hn::Load(d, outputs + place), shift);
      const auto weight = hn::Load(d, targets.weights + row);
      const auto point = Function()(d, value, hn::Load(d, targets.values + place));
      hn::Store(value, d, outputs + place);
      sum = hn::MulAdd(point.loss, weight, sum);
      if (gradients == nullptr) continue;
      const auto gradient = hn::Mul(point.slope, hn::Mul(weight, hn::Set(d, scale)));
      hn::Store(gradient, d, gradients + place);
      gradient_sum = hn::Add(gradient_sum, gradient);
    }
    if (gradients != nullptr) note_sum(gradient_sum, accumulate, sums[output]);
  }
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
}

// Softmax and cross entropy of a vector of rows, its loss unweighted; `powers` [output_count, row_count] is scratch and
// may be the gradients.
template <class Value>
double sum_cross_entropy(const Value* bias, const BatchTargets<Value>& targets, Value scale, std::int64_t output_count,
                         std::int64_t row_count, bool accumulate, Value* outputs, Value* gradients, Value* sums) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto sum = hn::Zero(d);
  for (std::int64_t row = 0; row < row_count; row += lanes) {
    const auto label = hn::Load(d, targets.labels + row);
    const auto weight = hn::Load(d, targets.weights + row);
    auto largest = hn::Set(d, -hwy::HighestValue<Value>());
    auto chosen = hn::Zero(d);
    for (std::int64_t output = 0; output < output_count; ++output) {
      Value* place = outputs + output * row_count + row;
      const auto value = hn::Add(hn::Load(d, place), hn::Set(d, bias == nullptr ? Value{0} : bias[output]));
      hn::Store(value, d, place);
      largest = hn::Max(largest, value);
      chosen = hn::IfThenElse(hn::Eq(label, hn::Set(d, static_cast<Value>(output))), value, chosen);
    }
    auto total = hn::Zero(d);
    for (std::int64_t output = 0; output < output_count; ++output) {
      const std::int64_t place = output * row_count + row;
      const auto power = exp_of_negative(d, hn::Sub(hn::Load(d, outputs + place), largest));
      total = hn::Add(total, power);
      if (gradients != nullptr) hn::Store(power, d, gradients + place);
    }
    // Log, too: hence the sum with zero, or with what is not a number.
    const auto loss = hn::Add(hn::Add(hn::Log(d, total), hn::Sub(total, total)), hn::Sub(largest, chosen));
    sum = hn::MulAdd(loss, weight, sum);
    if (gradients == nullptr) continue;
    const auto factor = hn::Mul(weight, hn::Set(d, scale));
    const auto probability_factor = hn::Div(factor, total);
    for (std::int64_t output = 0; output < output_count; ++output) {
      Value* place = gradients + output * row_count + row;
      const auto is_label = hn::Eq(label, hn::Set(d, static_cast<Value>(output)));
      hn::Store(hn::MulSub(hn::Load(d, place), probability_factor, hn::IfThenElseZero(is_label, factor)), d, place);
    }
  }
  for (std::int64_t output = 0; gradients != nullptr && output < output_count; ++output) {
    auto gradient_sum = hn::Zero(d);
    for (std::int64_t row = 0; row < row_count; row += lanes)
      gradient_sum = hn::Add(gradient_sum, hn::Load(d, gradients + output * row_count + row));
    note_sum(gradient_sum, accumulate, sums[output]);
  }
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
}

template <class Value>
double loss(LossKind kind, const Value* bias, const BatchTargets<Value>& targets, Value scale,
            std::int64_t output_count, std::int64_t row_count, bool accumulate, Value* outputs, Value* gradients,
            Value* sums) {
  const auto sum_by = [&](auto function) {
    return function(bias, targets, scale, output_count, row_count, accumulate, outputs, gradients, sums);
  };
  switch (kind) {
    case LossKind::mse:
      return sum_by(sum_by_output<SquaredError, Value>);
    case LossKind::bce:
      return sum_by(sum_by_output<LogitCrossEntropy, Value>);
    case LossKind::cross_entropy:
      return sum_by(sum_cross_entropy<Value>);
  }
  return 0;
}

// The sums of one output, vectors of partial ones.
template <class Value>
struct LinearSums {
  hn::Vec<Tag<Value>> loss, bias;
  HWY_ALIGN Value weights[FeatureBlocks::width * hn::MaxLanes(Tag<Value>())];
};

// `count` vectors of rows, from `row` on: their inputs are in the first-level cache when gradients are summed.
template <int count, class Function, class Value>
HWY_INLINE void add_rows(const LinearLayer<Value>& layer, std::int64_t output, const BatchTargets<Value>& targets,
                         Value scale, std::int64_t row_count, std::int64_t row, LinearSums<Value>& sums) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Value* weights = layer.weights + output * layer.weight_stride;
  hn::Vec<Tag<Value>> values[count];
  for (auto& value : values) value = hn::Set(d, layer.bias == nullptr ? Value{0} : layer.bias[output]);
  for (std::int64_t column = 0; column < layer.column_count; ++column) {
    const auto weight = hn::Set(d, weights[column]);
    const Value* inputs = layer.columns + column * row_count + row;
    for (int which = 0; which < count; ++which)
      values[which] = hn::MulAdd(hn::Load(d, inputs + which * lanes), weight, values[which]);
  }
  for (int which = 0; which < count; ++which) {
    const std::int64_t place = row + which * lanes;
    const auto weight = hn::Load(d, targets.weights + place);
    const auto point = Function()(d, values[which], hn::Load(d, targets.values + output * row_count + place));
    values[which] = hn::Mul(point.slope, hn::Mul(weight, hn::Set(d, scale)));  // gradients from here on
    sums.loss = hn::MulAdd(point.loss, weight, sums.loss);
    sums.bias = hn::Add(sums.bias, values[which]);
  }
  for (std::int64_t column = 0; column < layer.column_count; ++column) {
    const Value* inputs = layer.columns + column * row_count + row;
    auto sum = hn::Load(d, sums.weights + column * lanes);
    for (int which = 0; which < count; ++which)
      sum = hn::MulAdd(hn::Load(d, inputs + which * lanes), values[which], sum);
    hn::Store(sum, d, sums.weights + column * lanes);
  }
}

template <class Function, class Value>
double sum_by_groups(const LinearLayer<Value>& layer, const BatchTargets<Value>& targets, Value scale,
                     std::int64_t row_count, bool accumulate, Value* weight_sums, Value* bias_sums) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  double loss = 0;
  for (std::int64_t output = 0; output < layer.output_count; ++output) {
    LinearSums<Value> sums;
    sums.loss = sums.bias = hn::Zero(d);
    std::fill_n(sums.weights, layer.column_count * lanes, Value{0});
    std::int64_t row = 0;
    const auto add = [&](auto count) {
      add_rows<count(), Function>(layer, output, targets, scale, row_count, row, sums);
      row += count() * lanes;
    };
    while (row + 8 * lanes <= row_count) add(std::integral_constant<int, 8>());
    if (row + 4 * lanes <= row_count) add(std::integral_constant<int, 4>());
    if (row + 2 * lanes <= row_count) add(std::integral_constant<int, 2>());
    if (row < row_count) add(std::integral_constant<int, 1>());
    for (std::int64_t column = 0; column < layer.column_count; ++column)
      note_sum(hn::Load(d, sums.weights + column * lanes), accumulate,
               weight_sums[output * layer.weight_stride + column]);
    note_sum(sums.bias, accumulate, bias_sums[output]);
    loss += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sums.loss)));
  }
  return loss;
}

// The same for mse of one output, weights, inputs and sums all in registers: inputs are read once, and many vectors of
// rows are under way at a time.
template <int column_count, class Value>
double sum_in_registers(const LinearLayer<Value>& layer, const BatchTargets<Value>& targets, Value scale,
                        std::int64_t row_count, bool accumulate, Value* weight_sums, Value* bias_sums) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  hn::Vec<Tag<Value>> weights[column_count], inputs[column_count], sums[column_count];
  for (int column = 0; column < column_count; ++column) {
    weights[column] = hn::Set(d, layer.weights[column]);
    sums[column] = hn::Zero(d);
  }
  auto loss = hn::Zero(d), bias_sum = hn::Zero(d);
  for (std::int64_t row = 0; row < row_count; row += lanes) {
    auto value = hn::Set(d, layer.bias == nullptr ? Value{0} : *layer.bias);
    for (int column = 0; column < column_count; ++column) {
      inputs[column] = hn::Load(d, layer.columns + column * row_count + row);
      value = hn::MulAdd(inputs[column], weights[column], value);
    }
    const auto weight = hn::Load(d, targets.weights + row);
    const auto point = SquaredError()(d, value, hn::Load(d, targets.values + row));
    const auto gradient = hn::Mul(point.slope, hn::Mul(weight, hn::Set(d, scale)));
    loss = hn::MulAdd(point.loss, weight, loss);
    bias_sum = hn::Add(bias_sum, gradient);
    for (int column = 0; column < column_count; ++column)
      sums[column] = hn::MulAdd(inputs[column], gradient, sums[column]);
  }
  for (int column = 0; column < column_count; ++column) note_sum(sums[column], accumulate, weight_sums[column]);
  note_sum(bias_sum, accumulate, *bias_sums);
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, loss)));
}

// Three registers a column, of the 32 that AVX-512 has; the others have 16.
constexpr int most_columns_in_registers = HWY_TARGET <= HWY_AVX3 ? 10 : 0;

template <int column_count = 1, class Value>
double sum_squares(const LinearLayer<Value>& layer, const BatchTargets<Value>& targets, Value scale,
                   std::int64_t row_count, bool accumulate, Value* weight_sums, Value* bias_sums) {
  if constexpr (column_count <= most_columns_in_registers) {
    if (layer.output_count == 1 && layer.column_count == column_count)
      return sum_in_registers<column_count>(layer, targets, scale, row_count, accumulate, weight_sums, bias_sums);
    return sum_squares<column_count + 1>(layer, targets, scale, row_count, accumulate, weight_sums, bias_sums);
  } else {
    return sum_by_groups<SquaredError>(layer, targets, scale, row_count, accumulate, weight_sums, bias_sums);
  }
}

template <class Value>
double linear_loss(LossKind kind, const LinearLayer<Value>& layer, const BatchTargets<Value>& targets, Value scale,
                   std::int64_t row_count, bool accumulate, Value* weight_sums, Value* bias_sums) {
  if (kind == LossKind::mse) return sum_squares(layer, targets, scale, row_count, accumulate, weight_sums, bias_sums);
  return sum_by_groups<LogitCrossEntropy>(layer, targets, scale, row_count, accumulate, weight_sums, bias_sums);
}

LossKernels<float> float_table() {
  return {loss<float>, linear_loss<float>};
}

LossKernels<double> double_table() {
  return {loss<double>, linear_loss<double>};
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
