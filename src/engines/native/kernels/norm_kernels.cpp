// SPDX-License-Identifier: MIT
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engines/native/kernels/norm_kernels.cpp"  // compiled once for each instruction set
#include <hwy/foreach_target.h>
// Highway requires this order of includes.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "engines/native/kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Value>
using Tag = hn::ScalableTag<Value>;

// Calls use(feature, index) for each vector of a row: the first feature of the vector, and its index in the blocks. The
// last vectors of a row may contain padding.
template <class Value, class Use>
HWY_INLINE void for_each_vector(const FeatureBlocks& cut, std::int64_t row_count, std::int64_t row, const Use& use) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Tag<Value>()));
  for (std::int64_t block = 0; block < cut.count(); ++block) {
    const std::int64_t padded = cut.padded(block), begin = cut.offset(block, row_count) + row * padded;
    for (std::int64_t column = 0; column < padded; column += lanes)
      use(block * FeatureBlocks::width + column, begin + column);
  }
}

// `value` with zeros in the padding after the last feature.
template <class Value>
HWY_INLINE hn::Vec<Tag<Value>> without_padding(std::int64_t features, std::int64_t first, hn::Vec<Tag<Value>> value) {
  const Tag<Value> d;
  const std::int64_t left = std::max<std::int64_t>(0, features - first);
  return hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(left)), value);
}

template <class Value>
HWY_INLINE Value sum_of(hn::Vec<Tag<Value>> sums) {
  return hn::GetLane(hn::SumOfLanes(Tag<Value>(), sums));
}

template <class Value>
void normalize_rows(const NormParameters<Value>& parameters, const FeatureBlocks& cut, std::int64_t row_count,
                    Value* values, Value* normalized, Value* inverse) {
  const Tag<Value> d;
  const auto count = static_cast<Value>(cut.features);
  for (std::int64_t row = 0; row < row_count; ++row) {
    auto sums = hn::Zero(d);
    for_each_vector<Value>(cut, row_count, row, [&](std::int64_t feature, std::int64_t index) HWY_ATTR {
      auto value = hn::Load(d, values + index);
      if (parameters.shift != nullptr) value = hn::Add(value, hn::Load(d, parameters.shift + feature));
      hn::Store(value, d, values + index);
      sums = hn::Add(sums, value);
    });
    const auto mean = hn::Set(d, sum_of<Value>(sums) / count);
    auto squares = hn::Zero(d);
    for_each_vector<Value>(cut, row_count, row, [&](std::int64_t feature, std::int64_t index) HWY_ATTR {
      const auto centered = without_padding<Value>(cut.features, feature, hn::Sub(hn::Load(d, values + index), mean));
      hn::Store(centered, d, values + index);
      squares = hn::MulAdd(centered, centered, squares);
    });
    const Value variance = sum_of<Value>(squares) / count + parameters.epsilon;
    const Value scale = std::sqrt(variance) / variance;  // NaN if it overflows, so that divergence is not hidden
    for_each_vector<Value>(cut, row_count, row, [&](std::int64_t feature, std::int64_t index) HWY_ATTR {
      const auto value = hn::Mul(hn::Load(d, values + index), hn::Set(d, scale));
      if (normalized != nullptr) hn::Store(value, d, normalized + index);
      hn::Store(hn::Mul(value, hn::Load(d, parameters.scale + feature)), d, values + index);
    });
    if (inverse != nullptr) inverse[row] = scale;
  }
}

template <class Value>
void normalize_columns(const NormParameters<Value>& parameters, std::int64_t columns, std::int64_t row_count,
                       Value* values, Value* normalized, Value* inverse) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto count = hn::Set(d, static_cast<Value>(columns));
  for (std::int64_t row = 0; row < row_count; row += lanes) {
    auto mean = hn::Zero(d), squares = hn::Zero(d);
    for (std::int64_t column = 0; column < columns; ++column) {
      Value* place = values + column * row_count + row;
      const auto shift = hn::Set(d, parameters.shift == nullptr ? Value{0} : parameters.shift[column]);
      const auto value = hn::Add(hn::Load(d, place), shift);
      hn::Store(value, d, place);
      mean = hn::Add(mean, value);
    }
    mean = hn::Div(mean, count);
    for (std::int64_t column = 0; column < columns; ++column) {
      const auto centered = hn::Sub(hn::Load(d, values + column * row_count + row), mean);
      squares = hn::MulAdd(centered, centered, squares);
    }
    const auto variance = hn::Add(hn::Div(squares, count), hn::Set(d, parameters.epsilon));
    const auto scale = hn::Div(hn::Sqrt(variance), variance);  // as for rows
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::int64_t index = column * row_count + row;
      const auto value = hn::Mul(hn::Sub(hn::Load(d, values + index), mean), scale);
      if (normalized != nullptr) hn::Store(value, d, normalized + index);
      hn::Store(hn::Mul(value, hn::Set(d, parameters.scale[column])), d, values + index);
    }
    if (inverse != nullptr) hn::Store(scale, d, inverse + row);
  }
}

template <class Value>
void normalize_rows_gradient(const Value* scale, const Value* normalized, const Value* inverse,
                             const FeatureBlocks& cut, std::int64_t row_count, bool accumulate, Value* gradients,
                             Value* scale_sums, Value* shift_sums) {
  const Tag<Value> d;
  const auto count = static_cast<Value>(cut.features);
  if (!accumulate) {
    std::fill_n(scale_sums, cut.total_columns(), Value{0});
    std::fill_n(shift_sums, cut.total_columns(), Value{0});
  }
  for (std::int64_t row = 0; row < row_count; ++row) {
    auto sums = hn::Zero(d), products = hn::Zero(d);
    for_each_vector<Value>(cut, row_count, row, [&](std::int64_t feature, std::int64_t index) HWY_ATTR {
      const auto gradient = hn::Load(d, gradients + index), value = hn::Load(d, normalized + index);
      const auto scaled = hn::Mul(gradient, hn::Load(d, scale + feature));
      sums = hn::Add(sums, scaled);
      products = hn::MulAdd(scaled, value, products);
      hn::Store(hn::MulAdd(gradient, value, hn::Load(d, scale_sums + feature)), d, scale_sums + feature);
      hn::Store(scaled, d, gradients + index);
    });
    const auto mean = hn::Set(d, sum_of<Value>(sums) / count), slope = hn::Set(d, sum_of<Value>(products) / count);
    for_each_vector<Value>(cut, row_count, row, [&](std::int64_t feature, std::int64_t index) HWY_ATTR {
      const auto centered = hn::Sub(hn::Load(d, gradients + index), mean);
      const auto gradient = without_padding<Value>(
          cut.features, feature,
          hn::Mul(hn::NegMulAdd(slope, hn::Load(d, normalized + index), centered), hn::Set(d, inverse[row])));
      hn::Store(gradient, d, gradients + index);
      hn::Store(hn::Add(hn::Load(d, shift_sums + feature), gradient), d, shift_sums + feature);
    });
  }
}

template <class Value>
void normalize_columns_gradient(const Value* scale, const Value* normalized, const Value* inverse, std::int64_t columns,
                                std::int64_t row_count, bool accumulate, Value* gradients, Value* scale_sums,
                                Value* shift_sums) {
  const Tag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto count = hn::Set(d, static_cast<Value>(columns));
  for (std::int64_t column = 0; column < columns; ++column) {
    auto sums = hn::Zero(d);
    for (std::int64_t index = column * row_count; index < (column + 1) * row_count; index += lanes)
      sums = hn::MulAdd(hn::Load(d, gradients + index), hn::Load(d, normalized + index), sums);
    scale_sums[column] = sum_of<Value>(sums) + (accumulate ? scale_sums[column] : Value{0});
  }
  for (std::int64_t row = 0; row < row_count; row += lanes) {
    auto mean = hn::Zero(d), slope = hn::Zero(d);
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::int64_t index = column * row_count + row;
      const auto scaled = hn::Mul(hn::Load(d, gradients + index), hn::Set(d, scale[column]));
      mean = hn::Add(mean, scaled);
      slope = hn::MulAdd(scaled, hn::Load(d, normalized + index), slope);
      hn::Store(scaled, d, gradients + index);
    }
    mean = hn::Div(mean, count);
    slope = hn::Div(slope, count);
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::int64_t index = column * row_count + row;
      const auto centered = hn::Sub(hn::Load(d, gradients + index), mean);
      hn::Store(hn::Mul(hn::NegMulAdd(slope, hn::Load(d, normalized + index), centered), hn::Load(d, inverse + row)), d,
                gradients + index);
    }
  }
  for (std::int64_t column = 0; column < columns; ++column) {
    auto sums = hn::Zero(d);
    for (std::int64_t index = column * row_count; index < (column + 1) * row_count; index += lanes)
      sums = hn::Add(sums, hn::Load(d, gradients + index));
    shift_sums[column] = sum_of<Value>(sums) + (accumulate ? shift_sums[column] : Value{0});
  }
}

NormKernels<float> float_table() {
  return {normalize_rows<float>, normalize_columns<float>, normalize_rows_gradient<float>,
          normalize_columns_gradient<float>};
}

NormKernels<double> double_table() {
  return {normalize_rows<double>, normalize_columns<double>, normalize_rows_gradient<double>,
          normalize_columns_gradient<double>};
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
NormKernels<float> norm_kernels() {
  return HWY_DYNAMIC_DISPATCH(float_table)();
}

template <>
NormKernels<double> norm_kernels() {
  return HWY_DYNAMIC_DISPATCH(double_table)();
}

}  // namespace sheaf
#endif
