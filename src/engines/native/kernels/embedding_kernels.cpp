// SPDX-License-Identifier: MIT
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engines/native/kernels/embedding_kernels.cpp"  // compiled once for each instruction set
#include <hwy/foreach_target.h>
// Highway requires this order of includes.
#include <hwy/highway.h>

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

EmbeddingKernels<float> float_table() {
  return {locate<float>, embed<float>, embed_gradient<float>, look_up<float>, look_up_gradient<float>};
}

EmbeddingKernels<double> double_table() {
  return {locate<double>, embed<double>, embed_gradient<double>, look_up<double>, look_up_gradient<double>};
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
