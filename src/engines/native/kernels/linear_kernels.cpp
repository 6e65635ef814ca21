// SPDX-License-Identifier: MIT
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engines/native/kernels/linear_kernels.cpp"  // compiled once for each instruction set
#include <hwy/foreach_target.h>
// Highway requires this order of includes.
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "engines/native/kernels/feature_blocks.hpp"
#include "engines/native/kernels/kernels.hpp"
#include "training/losses/loss_points-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

// The sums of one output, as vectors of partial sums.
template <class Value>
struct LinearSums {
  hn::Vec<Tag<Value>> loss, bias;
  HWY_ALIGN Value weights[FeatureBlocks::width * hn::MaxLanes(Tag<Value>())];
};

// Adds `count` vectors of rows, from `row` on. Their inputs are still in the first-level cache when the gradients are
// summed.
template <int count, class Formula, class Value>
HWY_INLINE void add_rows(const Formula& formula, const LinearLayer<Value>& layer, std::int64_t output,
                         const BatchTargets<Value>& targets, Value scale, std::int64_t row_count, std::int64_t row,
                         LinearSums<Value>& sums) {
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
  Value* looked_up = layer.looked_up == nullptr ? nullptr : layer.looked_up + output * row_count + row;
  for (int which = 0; looked_up != nullptr && which < count; ++which)
    values[which] = hn::Add(values[which], hn::Load(d, looked_up + which * lanes));
  for (int which = 0; which < count; ++which) {
    const std::int64_t first = row + which * lanes;
    const auto weight = hn::Load(d, targets.weights + first);
    const auto point = formula(d, values[which], hn::Load(d, targets.values + output * row_count + first));
    values[which] = hn::Mul(point.slope, hn::Mul(weight, hn::Set(d, scale)));  // gradients from here on
    sums.loss = hn::MulAdd(point.loss, weight, sums.loss);
    sums.bias = hn::Add(sums.bias, values[which]);
  }
  for (int which = 0; looked_up != nullptr && which < count; ++which)
    hn::Store(values[which], d, looked_up + which * lanes);
  for (std::int64_t column = 0; column < layer.column_count; ++column) {
    const Value* inputs = layer.columns + column * row_count + row;
    auto sum = hn::Load(d, sums.weights + column * lanes);
    for (int which = 0; which < count; ++which)
      sum = hn::MulAdd(hn::Load(d, inputs + which * lanes), values[which], sum);
    hn::Store(sum, d, sums.weights + column * lanes);
  }
}

template <class Formula, class Value>
double sum_by_groups(const Formula& formula, const LinearLayer<Value>& layer, const BatchTargets<Value>& targets,
                     Value scale, std::int64_t row_count, bool accumulate, Value* weight_sums, Value* bias_sums) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  double loss = 0;
  for (std::int64_t output = 0; output < layer.output_count; ++output) {
    LinearSums<Value> sums;
    sums.loss = sums.bias = hn::Zero(d);
    std::fill_n(sums.weights, layer.column_count * lanes, Value{0});
    std::int64_t row = 0;
    const auto add = [&](auto count) {
      add_rows<count()>(formula, layer, output, targets, scale, row_count, row, sums);
      row += count() * lanes;
    };
    while (row + 8 * lanes <= row_count) add(std::integral_constant<int, 8>());
    if (row + 4 * lanes <= row_count) add(std::integral_constant<int, 4>());
    if (row + 2 * lanes <= row_count) add(std::integral_constant<int, 2>());
    if (row < row_count) add(std::integral_constant<int, 1>());
    for (std::int64_t column = 0; column < layer.column_count; ++column)
      store_sum(hn::Load(d, sums.weights + column * lanes), accumulate,
                weight_sums[output * layer.weight_stride + column]);
    store_sum(sums.bias, accumulate, bias_sums[output]);
    loss += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sums.loss)));
  }
  return loss;
}

// The same for mse of one output, with weights, inputs and sums in registers. Inputs are read once, and many vectors of
// rows are processed in parallel.
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
  for (int column = 0; column < column_count; ++column) store_sum(sums[column], accumulate, weight_sums[column]);
  store_sum(bias_sum, accumulate, *bias_sums);
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, loss)));
}

// A column needs three registers. AVX-512 has 32 registers, other instruction sets have 16.
constexpr int max_columns_in_registers = HWY_TARGET <= HWY_AVX3 ? 10 : 0;

template <int column_count = 1, class Value>
double sum_squares(const LinearLayer<Value>& layer, const BatchTargets<Value>& targets, Value scale,
                   std::int64_t row_count, bool accumulate, Value* weight_sums, Value* bias_sums) {
  if constexpr (column_count <= max_columns_in_registers) {
    if (layer.output_count == 1 && layer.column_count == column_count && layer.looked_up == nullptr)
      return sum_in_registers<column_count>(layer, targets, scale, row_count, accumulate, weight_sums, bias_sums);
    return sum_squares<column_count + 1>(layer, targets, scale, row_count, accumulate, weight_sums, bias_sums);
  } else {
    return sum_by_groups(SquaredError(), layer, targets, scale, row_count, accumulate, weight_sums, bias_sums);
  }
}

template <class Value>
double linear_loss(const LossFunction& loss, const LinearLayer<Value>& layer, const BatchTargets<Value>& targets,
                   Value scale, std::int64_t row_count, bool accumulate, Value* weight_sums, Value* bias_sums) {
  if (loss.kind == LossKind::mse)
    return sum_squares(layer, targets, scale, row_count, accumulate, weight_sums, bias_sums);
  return with_point_formula<Value>(loss, [&](const auto& formula) {
    return sum_by_groups(formula, layer, targets, scale, row_count, accumulate, weight_sums, bias_sums);
  });
}

LinearKernels<float> float_table() {
  return {linear_loss<float>};
}

LinearKernels<double> double_table() {
  return {linear_loss<double>};
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
LinearKernels<float> linear_kernels() {
  return HWY_DYNAMIC_DISPATCH(float_table)();
}

template <>
LinearKernels<double> linear_kernels() {
  return HWY_DYNAMIC_DISPATCH(double_table)();
}

}  // namespace sheaf
#endif
