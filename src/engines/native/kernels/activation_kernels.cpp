// SPDX-License-Identifier: MIT
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engines/native/kernels/activation_kernels.cpp"  // compiled once for each instruction set
#include <hwy/foreach_target.h>
// Highway requires this order of includes.
#include <hwy/highway.h>

#include <type_traits>

#include "engines/native/kernels/activation_points-inl.hpp"
#include "engines/native/kernels/feature_blocks.hpp"
#include "engines/native/kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

HWY_INLINE hn::Vec<Tag<float>> load_keep(Tag<float> d, const float* keep) {
  return hn::LoadU(d, keep);
}

HWY_INLINE hn::Vec<Tag<double>> load_keep(Tag<double> d, const float* keep) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, Tag<double>>(), keep));
}

// Activates one vector. `keep` and `derivative` may be null.
template <class Function, class Value>
HWY_INLINE void activate_vector(hn::Vec<Tag<Value>> shift, const float* keep, hn::Vec<Tag<Value>> keep_scale,
                                Value* values, Value* derivative) {
  const Tag<Value> d;
  auto point = Function()(d, hn::Add(hn::Load(d, values), shift));
  if (keep != nullptr) {
    const auto factor = hn::Mul(load_keep(d, keep), keep_scale);
    point = {hn::Mul(point.value, factor), hn::Mul(point.slope, factor)};
  }
  hn::Store(point.value, d, values);
  if (derivative != nullptr) hn::Store(point.slope, d, derivative);
}

// `from + offset`, or null if `from` is null.
template <class T>
T* shifted(T* from, std::int64_t offset) {
  return from == nullptr ? nullptr : from + offset;
}

template <class Function, class Value>
void activate_by(const Value* bias, const float* keep, Value keep_scale, std::int64_t columns, std::int64_t row_count,
                 Value* values, Value* derivative) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t column = 0; column < columns; ++column) {
    const auto shift = hn::Set(d, bias == nullptr ? Value{0} : bias[column]);
    for (std::int64_t index = column * row_count; index < (column + 1) * row_count; index += lanes)
      activate_vector<Function>(shift, shifted(keep, index), hn::Set(d, keep_scale), values + index,
                                shifted(derivative, index));
  }
}

template <class Function, class Value>
void activate_rows_by(const Value* bias, const float* keep, std::int64_t keep_stride, Value keep_scale,
                      std::int64_t columns, std::int64_t row_count, Value* values, Value* derivative) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t padded = round_up(columns, padding);
  for (std::int64_t row = 0; row < row_count; ++row) {
    for (std::int64_t column = 0; column < padded; column += lanes) {
      const auto shift = bias == nullptr ? hn::Zero(d) : hn::Load(d, bias + column);
      const std::int64_t index = row * padded + column;
      activate_vector<Function>(shift, shifted(keep, row * keep_stride + column), hn::Set(d, keep_scale),
                                values + index, shifted(derivative, index));
    }
    std::fill(values + row * padded + columns, values + (row + 1) * padded, Value{0});
  }
}

template <class Value>
void activate(Activation kind, const Value* bias, const float* keep, Value keep_scale, std::int64_t columns,
              std::int64_t row_count, Value* values, Value* derivative) {
  with_function(kind, [&](auto function) {
    activate_by<decltype(function)>(bias, keep, keep_scale, columns, row_count, values, derivative);
  });
}

template <class Value>
void activate_rows(Activation kind, const Value* bias, const float* keep, std::int64_t keep_stride, Value keep_scale,
                   std::int64_t columns, std::int64_t row_count, Value* values, Value* derivative) {
  with_function(kind, [&](auto function) {
    activate_rows_by<decltype(function)>(bias, keep, keep_stride, keep_scale, columns, row_count, values, derivative);
  });
}

template <class Value>
void finish_gradient(const Value* derivative, std::int64_t columns, std::int64_t row_count, bool accumulate,
                     Value* gradients, Value* sums) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t column = 0; column < columns; ++column) {
    auto sum = hn::Zero(d);
    const std::int64_t begin = column * row_count;
    for (std::int64_t index = begin; index < begin + row_count; index += lanes) {
      const auto gradient = hn::Mul(hn::Load(d, gradients + index), hn::Load(d, derivative + index));
      hn::Store(gradient, d, gradients + index);
      sum = hn::Add(sum, gradient);
    }
    const Value total = hn::GetLane(hn::SumOfLanes(d, sum));
    sums[column] = accumulate ? sums[column] + total : total;
  }
}

template <class Value>
void finish_gradient_rows(const Value* derivative, std::int64_t columns, std::int64_t row_count, bool accumulate,
                          Value* gradients, Value* sums) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t column = 0; column < columns; column += lanes) {
    auto even = accumulate ? hn::Load(d, sums + column) : hn::Zero(d), odd = hn::Zero(d);
    const auto finish = [&](std::int64_t index) {
      const auto gradient = hn::Mul(hn::Load(d, gradients + index), hn::Load(d, derivative + index));
      hn::Store(gradient, d, gradients + index);
      return gradient;
    };
    for (std::int64_t index = column; index < row_count * columns; index += 2 * columns) {
      even = hn::Add(even, finish(index));
      odd = hn::Add(odd, finish(index + columns));
    }
    hn::Store(hn::Add(even, odd), d, sums + column);
  }
}

// Processes `count` columns at a time, so that each gradient is loaded once for all of them. Two sums per column hide
// the latency of the additions.
template <int count, class Value>
void dot_some(const Value* columns, std::int64_t row_count, const Value* gradient, bool accumulate, Value* sums) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  hn::Vec<Tag<Value>> even[count], odd[count];
  for (int column = 0; column < count; ++column) even[column] = odd[column] = hn::Zero(d);
  const auto add = [&](std::int64_t row, hn::Vec<Tag<Value>>* to) {
    const auto value = hn::Load(d, gradient + row);
    for (int column = 0; column < count; ++column)
      to[column] = hn::MulAdd(hn::Load(d, columns + column * row_count + row), value, to[column]);
  };
  std::int64_t row = 0;
  for (; row + 2 * lanes <= row_count; row += 2 * lanes) {
    add(row, even);
    add(row + lanes, odd);
  }
  if (row < row_count) add(row, even);
  for (int column = 0; column < count; ++column) {
    const Value total = hn::GetLane(hn::SumOfLanes(d, hn::Add(even[column], odd[column])));
    sums[column] = accumulate ? sums[column] + total : total;
  }
}

template <class Value>
void dot_columns(const Value* columns, std::int64_t column_count, std::int64_t row_count, const Value* gradients,
                 std::int64_t output_count, bool accumulate, Value* sums, std::int64_t sum_stride) {
  for (std::int64_t output = 0; output < output_count; ++output) {
    const Value* gradient = gradients + output * row_count;
    std::int64_t column = 0;
    const auto dot = [&](auto count) {
      dot_some<count()>(columns + column * row_count, row_count, gradient, accumulate,
                        sums + output * sum_stride + column);
      column += count();
    };
    while (column + 5 <= column_count) dot(std::integral_constant<int, 5>());
    while (column + 2 <= column_count) dot(std::integral_constant<int, 2>());
    if (column < column_count) dot(std::integral_constant<int, 1>());
  }
}

// Processes `count` vectors of rows at a time, so that each weight is loaded once for all of them.
template <int count, class Value>
void combine_some(const Value* columns, std::int64_t column_count, std::int64_t row_count, const Value* weights,
                  bool accumulate, Value* results) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  hn::Vec<Tag<Value>> sums[count];
  for (int which = 0; which < count; ++which)
    sums[which] = accumulate ? hn::Load(d, results + which * lanes) : hn::Zero(d);
  for (std::int64_t column = 0; column < column_count; ++column) {
    const auto weight = hn::Set(d, weights[column]);
    for (int which = 0; which < count; ++which)
      sums[which] = hn::MulAdd(hn::Load(d, columns + column * row_count + which * lanes), weight, sums[which]);
  }
  for (int which = 0; which < count; ++which) hn::Store(sums[which], d, results + which * lanes);
}

template <class Value>
void combine_columns(const Value* columns, std::int64_t column_count, std::int64_t row_count, const Value* weights,
                     std::int64_t weight_stride, std::int64_t output_count, bool accumulate, Value* results) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Tag<Value>()));
  for (std::int64_t output = 0; output < output_count; ++output) {
    std::int64_t row = 0;
    const auto combine = [&](auto count) {
      combine_some<count()>(columns + row, column_count, row_count, weights + output * weight_stride, accumulate,
                            results + output * row_count + row);
      row += count() * lanes;
    };
    while (row + 8 * lanes <= row_count) combine(std::integral_constant<int, 8>());
    while (row < row_count) combine(std::integral_constant<int, 1>());
  }
}

ActivationKernels<float> float_table() {
  return {activate<float>,        activate_rows<float>, finish_gradient<float>, finish_gradient_rows<float>,
          combine_columns<float>, dot_columns<float>};
}

ActivationKernels<double> double_table() {
  return {activate<double>,        activate_rows<double>, finish_gradient<double>, finish_gradient_rows<double>,
          combine_columns<double>, dot_columns<double>};
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
ActivationKernels<float> activation_kernels() {
  return HWY_DYNAMIC_DISPATCH(float_table)();
}

template <>
ActivationKernels<double> activation_kernels() {
  return HWY_DYNAMIC_DISPATCH(double_table)();
}

}  // namespace sheaf
#endif
