// SPDX-License-Identifier: MIT
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engines/native/kernels/embedding_kernels.cpp"  // compiled once for each instruction set
#include <hwy/foreach_target.h>
// Highway requires this order of includes.
#include <hwy/highway.h>

#include <type_traits>

#include "engines/native/kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The outputs of a feature, or a part of them.
template <class Value>
using FunctionsTag = hn::CappedTag<Value, embedding_width>;

template <class Value>
void locate(const EmbeddingBins<Value>& bins, const Value* values, std::int64_t row_count, BinNumber<Value>* numbers,
            Value* places) {
  const hn::ScalableTag<Value> d;
  const hn::RebindToSigned<decltype(d)> of_numbers;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t row = 0; row < row_count; row += lanes) {
    const auto value = hn::Load(d, values + row);
    auto number = hn::Zero(of_numbers);
    for (std::int64_t edge = 0; edge < bins.inner_count; ++edge) {
      const auto is_above = hn::Ge(value, hn::Set(d, bins.inner[edge]));
      number = hn::Sub(number, hn::BitCast(of_numbers, hn::VecFromMask(d, is_above)));  // minus -1
    }
    const auto distance = hn::Sub(value, hn::GatherIndex(d, bins.lower, number));
    const auto place = hn::Div(distance, hn::GatherIndex(d, bins.width, number));
    hn::Store(hn::Min(hn::Max(place, hn::Zero(d)), hn::Set(d, Value{1})), d, places + row);
    hn::Store(number, of_numbers, numbers + row);
  }
}

template <class Value>
void embed(const EmbeddingWeights<Value>& weights, const EmbeddedValues<Value>& rows, std::int64_t count,
           std::int64_t stride, Value* outputs) {
  const FunctionsTag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t first = 0; first < embedding_width; first += lanes) {
    const auto factor = hn::Load(d, weights.factor + first);
    const auto bias = weights.bias == nullptr ? hn::Zero(d) : hn::Load(d, weights.bias + first);
    for (std::int64_t row = 0; row < count; ++row) {
      const Value* lower = weights.at_edges + rows.bins[row] * embedding_width + first;
      const Value place = rows.places[row];
      auto output = hn::MulAdd(hn::Set(d, rows.values[row]), factor, bias);
      output = hn::MulAdd(hn::Set(d, 1 - place), hn::Load(d, lower), output);
      output = hn::MulAdd(hn::Set(d, place), hn::Load(d, lower + embedding_width), output);
      hn::Store(output, d, outputs + row * stride + first);
    }
  }
}

template <class Value>
void embed_gradient(const EmbeddedValues<Value>& rows, std::int64_t count, const Value* gradients, std::int64_t stride,
                    const EmbeddingGradients<Value>& sums) {
  const FunctionsTag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t first = 0; first < embedding_width; first += lanes) {
    auto factor = hn::Load(d, sums.factor + first), bias = hn::Load(d, sums.bias + first);
    for (std::int64_t row = 0; row < count; ++row) {
      Value* lower = sums.at_edges + rows.bins[row] * embedding_width + first;
      const Value place = rows.places[row];
      const auto gradient = hn::Load(d, gradients + row * stride + first);
      factor = hn::MulAdd(hn::Set(d, rows.values[row]), gradient, factor);
      bias = hn::Add(bias, gradient);
      hn::Store(hn::MulAdd(hn::Set(d, 1 - place), gradient, hn::Load(d, lower)), d, lower);
      Value* upper = lower + embedding_width;
      hn::Store(hn::MulAdd(hn::Set(d, place), gradient, hn::Load(d, upper)), d, upper);
    }
    hn::Store(factor, d, sums.factor + first);
    hn::Store(bias, d, sums.bias + first);
  }
}

template <class Value>
void look_up(const Value* table, const BinNumber<Value>* levels, std::int64_t count, std::int64_t stride,
             Value* outputs) {
  const FunctionsTag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t row = 0; row < count; ++row)
    for (std::int64_t first = 0; first < embedding_width; first += lanes)
      hn::Store(hn::Load(d, table + levels[row] * embedding_width + first), d, outputs + row * stride + first);
}

template <class Value>
void look_up_gradient(const BinNumber<Value>* levels, std::int64_t count, const Value* gradients, std::int64_t stride,
                      Value* sums) {
  const FunctionsTag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t row = 0; row < count; ++row)
    for (std::int64_t first = 0; first < embedding_width; first += lanes) {
      Value* const sum = sums + levels[row] * embedding_width + first;
      hn::Store(hn::Add(hn::Load(d, sum), hn::Load(d, gradients + row * stride + first)), d, sum);
    }
}

// Calls use(count, column) for all columns, with as many vectors at once as possible.
template <class Value, class Use>
HWY_INLINE void for_vectors(std::int64_t width, const Use& use) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<Value>()));
  std::int64_t column = 0;
  for (; column + 4 * lanes <= width; column += 4 * lanes) use(std::integral_constant<int, 4>(), column);
  for (; column < width; column += lanes) use(std::integral_constant<int, 1>(), column);
}

// `count` vectors of each row.
template <int count, class Value>
HWY_INLINE void sum_some(const Value* table, const RowLevels<Value>& rows, std::int64_t width, Value* results) {
  const hn::ScalableTag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const BinNumber<Value>* levels = rows.levels;
  for (std::int64_t row = 0; row < rows.row_count; ++row, levels += rows.code_count, results += width) {
    hn::Vec<decltype(d)> sums[count];
    for (auto& sum : sums) sum = hn::Zero(d);
    for (std::int64_t code = 0; code < rows.code_count; ++code) {
      if (levels[code] < 0) continue;
      const Value* from = table + levels[code] * width;
      for (int which = 0; which < count; ++which) sums[which] = hn::Add(sums[which], hn::Load(d, from + which * lanes));
    }
    for (int which = 0; which < count; ++which) hn::Store(sums[which], d, results + which * lanes);
  }
}

template <class Value>
void sum_levels(const Value* table, const RowLevels<Value>& rows, std::int64_t width, Value* results) {
  for_vectors<Value>(width, [&](auto count, std::int64_t column) {
    sum_some<count()>(table + column, rows, width, results + column);
  });
}

template <int count, class Value>
HWY_INLINE void add_some(const RowLevels<Value>& rows, const Value* gradients, std::int64_t width, Value* sums) {
  const hn::ScalableTag<Value> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const BinNumber<Value>* levels = rows.levels;
  for (std::int64_t row = 0; row < rows.row_count; ++row, levels += rows.code_count, gradients += width) {
    hn::Vec<decltype(d)> added[count];
    for (int which = 0; which < count; ++which) added[which] = hn::Load(d, gradients + which * lanes);
    for (std::int64_t code = 0; code < rows.code_count; ++code) {
      if (levels[code] < 0) continue;
      Value* to = sums + levels[code] * width;
      for (int which = 0; which < count; ++which)
        hn::Store(hn::Add(hn::Load(d, to + which * lanes), added[which]), d, to + which * lanes);
    }
  }
}

template <class Value>
void sum_levels_gradient(const RowLevels<Value>& rows, const Value* gradients, std::int64_t width, Value* sums) {
  for_vectors<Value>(width, [&](auto count, std::int64_t column) {
    add_some<count()>(rows, gradients + column, width, sums + column);
  });
}

template <class Value>
void sum_output(const Value* weights, const RowLevels<Value>& rows, Value* results) {
  const BinNumber<Value>* levels = rows.levels;
  for (std::int64_t row = 0; row < rows.row_count; ++row, levels += rows.code_count) {
    Value sum = 0;
    for (std::int64_t code = 0; code < rows.code_count; ++code)
      if (levels[code] >= 0) sum += weights[levels[code]];
    results[row] = sum;
  }
}

template <class Value>
void sum_output_gradient(const RowLevels<Value>& rows, const Value* gradients, Value* sums) {
  const BinNumber<Value>* levels = rows.levels;
  for (std::int64_t row = 0; row < rows.row_count; ++row, levels += rows.code_count)
    for (std::int64_t code = 0; code < rows.code_count; ++code)
      if (levels[code] >= 0) sums[levels[code]] += gradients[row];
}

template <class Value>
EmbeddingKernels<Value> kernels() {
  return {locate<Value>,
          embed<Value>,
          embed_gradient<Value>,
          look_up<Value>,
          look_up_gradient<Value>,
          sum_levels<Value>,
          sum_levels_gradient<Value>,
          sum_output<Value>,
          sum_output_gradient<Value>};
}

EmbeddingKernels<float> float_table() {
  return kernels<float>();
}

EmbeddingKernels<double> double_table() {
  return kernels<double>();
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
EmbeddingKernels<float> embedding_kernels() {
  return HWY_DYNAMIC_DISPATCH(float_table)();
}

template <>
EmbeddingKernels<double> embedding_kernels() {
  return HWY_DYNAMIC_DISPATCH(double_table)();
}

}  // namespace sheaf
#endif
