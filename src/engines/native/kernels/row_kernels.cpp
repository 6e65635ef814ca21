// SPDX-License-Identifier: MIT
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engines/native/kernels/row_kernels.cpp"  // compiled once for each instruction set
#include <hwy/foreach_target.h>
// Highway requires this order of includes.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>

#include "engines/native/kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The registers (32 with AVX-512, otherwise 16) contain two weights, one input, and two vectors of sums per row.
constexpr int max_rows = HWY_TARGET <= HWY_AVX3 ? 14 : 6;

// One cache line is prefetched for each group of inputs of this size; two or four lines were slower.
constexpr int inputs_at_once = 4;

constexpr std::ptrdiff_t line_bytes = 64;

template <int vectors, int row_count>
void multiply_some(const RowProduct& product, std::int64_t column, const float* rows, float* results,
                   Prefetch& prefetch) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> sums[row_count][vectors];
  for (int row = 0; row < row_count; ++row)
    for (int vector = 0; vector < vectors; ++vector)
      sums[row][vector] =
          product.accumulate ? hn::Load(d, results + row * product.result_stride + vector * lanes) : hn::Zero(d);
  const float* weights = product.weights + column;
  const auto add = [&](std::int64_t input) HWY_ATTR {
    hn::Vec<decltype(d)> weight[vectors];
    for (int vector = 0; vector < vectors; ++vector) weight[vector] = hn::Load(d, weights + vector * lanes);
    HWY_UNROLL(16)
    for (int row = 0; row < row_count; ++row) {
      const auto value = hn::Set(d, rows[row * product.row_stride + input]);
      for (int vector = 0; vector < vectors; ++vector)
        sums[row][vector] = hn::MulAdd(value, weight[vector], sums[row][vector]);
    }
    weights += product.output_count;
  };
  std::int64_t input = 0;
  for (; input + inputs_at_once <= product.input_count; input += inputs_at_once) {
    if (prefetch.next < prefetch.end) {
      hwy::Prefetch(prefetch.next);
      prefetch.next += line_bytes;
    }
    HWY_UNROLL(4)
    for (int which = 0; which < inputs_at_once; ++which) add(input + which);
  }
  for (; input < product.input_count; ++input) add(input);
  for (int row = 0; row < row_count; ++row)
    for (int vector = 0; vector < vectors; ++vector)
      hn::Store(sums[row][vector], d, results + row * product.result_stride + vector * lanes);
}

// `row_count` is at most `most`.
template <int vectors, int most = max_rows>
void multiply_group(const RowProduct& product, std::int64_t column, const float* rows, std::int64_t row_count,
                    float* results, Prefetch& prefetch) {
  if constexpr (most > 1) {
    if (row_count < most) return multiply_group<vectors, most - 1>(product, column, rows, row_count, results, prefetch);
  }
  multiply_some<vectors, most>(product, column, rows, results, prefetch);
}

void multiply_rows(const RowProduct& product, const float* rows, std::int64_t row_count, float* results,
                   Prefetch& prefetch) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<float>()));
  for (std::int64_t done = 0; done < row_count;) {
    const std::int64_t left = row_count - done, groups = (left + max_rows - 1) / max_rows;
    const std::int64_t count = (left + groups - 1) / groups;
    const float* from = rows + done * product.row_stride;
    float* to = results + done * product.result_stride;
    std::int64_t column = 0;
    for (; column + 2 * lanes <= product.output_count; column += 2 * lanes)
      multiply_group<2>(product, column, from, count, to + column, prefetch);
    if (column < product.output_count) multiply_group<1>(product, column, from, count, to + column, prefetch);
    done += count;
  }
}

RowKernels float_table() {
  return {max_rows, multiply_rows};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sheaf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sheaf {

HWY_EXPORT(float_table);

RowKernels row_kernels() {
  return HWY_DYNAMIC_DISPATCH(float_table)();
}

}  // namespace sheaf
#endif
