// SPDX-License-Identifier: MIT
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engines/native/kernels/batch_norm_kernels.cpp"  // compiled once for each instruction set
#include <hwy/foreach_target.h>
// Highway requires this order of includes.
#include <hwy/highway.h>

#include <algorithm>

#include "engines/native/kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Value>
using Tag = hn::ScalableTag<Value>;

// `value` with zeros after the first `count` lanes.
template <class Value>
HWY_INLINE hn::Vec<Tag<Value>> first_of(std::int64_t count, hn::Vec<Tag<Value>> value) {
  const std::int64_t lanes = std::max<std::int64_t>(0, count);
  return hn::IfThenElseZero(hn::FirstN(Tag<Value>(), static_cast<std::size_t>(lanes)), value);
}

template <class Value>
HWY_INLINE Value sum_of(hn::Vec<Tag<Value>> sums) {
  return hn::GetLane(hn::SumOfLanes(Tag<Value>(), sums));
}

// Calls use(feature, index, stride) for each vector of features: its first feature, its index in the blocks in the
// first row, and the distance from one row to the next. The last vectors may contain padding.
template <class Value, class Use>
HWY_INLINE void for_each_vector(const FeatureBlocks& cut, std::int64_t row_count, const Use& use) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Tag<Value>()));
  for (std::int64_t block = 0; block < cut.count(); ++block) {
    const std::int64_t padded = cut.padded(block), begin = cut.offset(block, row_count);
    for (std::int64_t column = 0; column < padded; column += lanes)
      use(block * FeatureBlocks::width + column, begin + column, padded);
  }
}

template <class Value>
void measure_rows(const FeatureBlocks& cut, std::int64_t count, std::int64_t row_count, const Value* values,
                  Value* means, Value* variances) {
  const Tag<Value> d;
  const auto rows = hn::Set(d, static_cast<Value>(count));
  for_each_vector<Value>(cut, row_count, [&](std::int64_t feature, std::int64_t begin, std::int64_t stride) HWY_ATTR {
    const std::int64_t end = begin + count * stride;
    auto sums = hn::Zero(d), squares = hn::Zero(d);
    for (std::int64_t index = begin; index < end; index += stride) sums = hn::Add(sums, hn::Load(d, values + index));
    const auto mean = hn::Div(sums, rows);
    for (std::int64_t index = begin; index < end; index += stride) {
      const auto centered = hn::Sub(hn::Load(d, values + index), mean);
      squares = hn::MulAdd(centered, centered, squares);
    }
    hn::Store(mean, d, means + feature);
    hn::Store(hn::Div(squares, rows), d, variances + feature);
  });
}

template <class Value>
void measure_columns(std::int64_t columns, std::int64_t count, std::int64_t row_count, const Value* values,
                     Value* means, Value* variances) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto rows = static_cast<Value>(count);
  for (std::int64_t column = 0; column < columns; ++column, values += row_count) {
    auto sums = hn::Zero(d), squares = hn::Zero(d);
    for (std::int64_t row = 0; row < count; row += lanes)
      sums = hn::Add(sums, first_of<Value>(count - row, hn::Load(d, values + row)));
    means[column] = sum_of<Value>(sums) / rows;
    const auto mean = hn::Set(d, means[column]);
    for (std::int64_t row = 0; row < count; row += lanes) {
      const auto centered = first_of<Value>(count - row, hn::Sub(hn::Load(d, values + row), mean));
      squares = hn::MulAdd(centered, centered, squares);
    }
    variances[column] = sum_of<Value>(squares) / rows;
  }
}

template <class Value>
void normalize_rows(const BatchNormParameters<Value>& parameters, const FeatureBlocks& cut, std::int64_t count,
                    std::int64_t row_count, Value* values, Value* normalized) {
  const Tag<Value> d;
  for_each_vector<Value>(cut, row_count, [&](std::int64_t feature, std::int64_t begin, std::int64_t stride) HWY_ATTR {
    const std::int64_t end = begin + count * stride;
    const auto mean = hn::Load(d, parameters.mean + feature), inverse = hn::Load(d, parameters.inverse + feature);
    const auto scale = first_of<Value>(cut.features - feature, hn::Load(d, parameters.scale + feature));
    for (std::int64_t index = begin; index < end; index += stride) {
      const auto value = hn::Mul(hn::Sub(hn::Load(d, values + index), mean), inverse);
      if (normalized != nullptr) hn::Store(value, d, normalized + index);
      hn::Store(hn::Mul(value, scale), d, values + index);
    }
    for (std::int64_t index = end; index < begin + row_count * stride; index += stride) {
      if (normalized != nullptr) hn::Store(hn::Zero(d), d, normalized + index);
      hn::Store(hn::Zero(d), d, values + index);
    }
  });
}

template <class Value>
void normalize_columns(const BatchNormParameters<Value>& parameters, std::int64_t columns, std::int64_t count,
                       std::int64_t row_count, Value* values, Value* normalized) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t column = 0; column < columns; ++column) {
    const auto mean = hn::Set(d, parameters.mean[column]), inverse = hn::Set(d, parameters.inverse[column]);
    const auto scale = hn::Set(d, parameters.scale[column]);
    for (std::int64_t row = 0; row < row_count; row += lanes) {
      const std::int64_t index = column * row_count + row;
      auto value = hn::Mul(hn::Sub(hn::Load(d, values + index), mean), inverse);
      if (row + lanes > count) value = first_of<Value>(count - row, value);
      if (normalized != nullptr) hn::Store(value, d, normalized + index);
      hn::Store(hn::Mul(value, scale), d, values + index);
    }
  }
}

template <class Value>
void normalize_rows_gradient(const BatchNormParameters<Value>& parameters, const Value* normalized,
                             const FeatureBlocks& cut, std::int64_t count, std::int64_t row_count, Value* gradients,
                             Value* scale_sums) {
  const Tag<Value> d;
  const auto rows = hn::Set(d, static_cast<Value>(count));
  for_each_vector<Value>(cut, row_count, [&](std::int64_t feature, std::int64_t begin, std::int64_t stride) HWY_ATTR {
    const std::int64_t end = begin + count * stride, left = cut.features - feature;
    auto sums = hn::Zero(d), products = hn::Zero(d);
    for (std::int64_t index = begin; index < end; index += stride) {
      const auto gradient = hn::Load(d, gradients + index);
      sums = hn::Add(sums, gradient);
      products = hn::MulAdd(gradient, hn::Load(d, normalized + index), products);
    }
    hn::Store(first_of<Value>(left, products), d, scale_sums + feature);
    const auto mean = hn::Div(sums, rows), slope = hn::Div(products, rows);
    const auto factor = hn::Mul(hn::Load(d, parameters.scale + feature), hn::Load(d, parameters.inverse + feature));
    for (std::int64_t index = begin; index < end; index += stride) {
      const auto centered = hn::Sub(hn::Load(d, gradients + index), mean);
      const auto gradient = hn::Mul(hn::NegMulAdd(slope, hn::Load(d, normalized + index), centered), factor);
      hn::Store(first_of<Value>(left, gradient), d, gradients + index);
    }
    for (std::int64_t index = end; index < begin + row_count * stride; index += stride)
      hn::Store(hn::Zero(d), d, gradients + index);
  });
}

template <class Value>
void normalize_columns_gradient(const BatchNormParameters<Value>& parameters, const Value* normalized,
                                std::int64_t columns, std::int64_t count, std::int64_t row_count, Value* gradients,
                                Value* scale_sums) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t column = 0; column < columns; ++column, gradients += row_count, normalized += row_count) {
    auto sums = hn::Zero(d), products = hn::Zero(d);
    for (std::int64_t row = 0; row < count; row += lanes) {
      const auto gradient = first_of<Value>(count - row, hn::Load(d, gradients + row));
      sums = hn::Add(sums, gradient);
      products = hn::MulAdd(gradient, hn::Load(d, normalized + row), products);
    }
    scale_sums[column] = sum_of<Value>(products);
    const auto mean = hn::Set(d, sum_of<Value>(sums) / static_cast<Value>(count));
    const auto slope = hn::Set(d, scale_sums[column] / static_cast<Value>(count));
    const auto factor = hn::Set(d, parameters.scale[column] * parameters.inverse[column]);
    for (std::int64_t row = 0; row < row_count; row += lanes) {
      const auto centered = hn::Sub(hn::Load(d, gradients + row), mean);
      const auto gradient = hn::Mul(hn::NegMulAdd(slope, hn::Load(d, normalized + row), centered), factor);
      hn::Store(first_of<Value>(count - row, gradient), d, gradients + row);
    }
  }
}

template <class Value>
BatchNormKernels<Value> table() {
  return {measure_rows<Value>,      measure_columns<Value>,         normalize_rows<Value>,
          normalize_columns<Value>, normalize_rows_gradient<Value>, normalize_columns_gradient<Value>};
}

BatchNormKernels<float> float_table() {
  return table<float>();
}

BatchNormKernels<double> double_table() {
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
BatchNormKernels<float> batch_norm_kernels() {
  return HWY_DYNAMIC_DISPATCH(float_table)();
}

template <>
BatchNormKernels<double> batch_norm_kernels() {
  return HWY_DYNAMIC_DISPATCH(double_table)();
}

}  // namespace sheaf
#endif
